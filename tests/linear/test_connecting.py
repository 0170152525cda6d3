"""`tallystick linear` and its routes: keys are checked at once, kept for their user alone, and shown nowhere."""

from __future__ import annotations

import contextlib
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.process import answer, serving, tallystick
from tests.linear import faults
from tests.linear.data import KEYS
from tests.linear.server import LinearServer
from tests.live import Live

AV, JL = KEYS["AV"], KEYS["JL"]


def holding(home: Path, key: str) -> list[str]:
    return [path.name for path in home.rglob("*") if path.is_file() and key[:16].encode() in path.read_bytes()]


@pytest.mark.parametrize("running", [True, False])
def test_connect_list_disconnect(tmp_path: Path, linear: LinearServer, running: bool) -> None:
    home = tmp_path / "home"
    env = {"TALLYSTICK_LINEAR_URL": linear.url}
    with serving(home, **env) if running else contextlib.nullcontext():
        made = tallystick(home, "linear", "connect", "AV", env=env, input=f"{AV}\n", stdin=None)
        assert (made.returncode, made.stdout) == (0, "AV is connected: Averill Labs.\n"), made.stderr
        told = answer(home, "linear", "connect", "JL", env={**env, "LINEAR_API_KEY": JL})
        assert told["organization"] == "Juniper Lane"
        assert answer(home, "linear", "list", env=env) == [
            {"label": "AV", "organization": "Averill Labs"},
            {"label": "JL", "organization": "Juniper Lane"},
        ]
        (file,) = holding(home, AV)
        assert file == "linear.json"
        assert stat.S_IMODE((home / file).stat().st_mode) == 0o600
        wrong = tallystick(home, "linear", "connect", "AV", env={**env, "LINEAR_API_KEY": "lin_api_wrong_one"})
        assert wrong.returncode == 1
        assert "does not take this key" in wrong.stderr
        assert "wrong_one" not in wrong.stderr
        assert tallystick(home, "linear", "disconnect", "jl", env=env).returncode == 0
        assert holding(home, JL) == []
        assert [one["label"] for one in answer(home, "linear", "list", env=env)] == ["AV"]
        gone = tallystick(home, "linear", "disconnect", "jl", env=env)
        assert gone.returncode == 1
        assert "connected are: AV" in gone.stderr
        backup = answer(home, "backup", env=env)["file"]
        assert AV.encode() not in Path(backup).read_bytes()
        assert holding(home, AV) == ["linear.json"]


def test_no_key_and_nobody_there(tmp_path: Path) -> None:
    home = tmp_path / "home"
    none = tallystick(home, "linear", "connect", "AV")
    assert (none.returncode, "No key was given" in none.stderr) == (1, True)
    away = tallystick(home, "linear", "connect", "AV", env={"LINEAR_API_KEY": AV})
    assert away.returncode == 1
    assert "cannot be reached" in away.stderr
    assert AV not in away.stderr
    assert answer(home, "linear", "list") == []


@pytest.fixture
def server(tmp_path: Path, linear: LinearServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    monkeypatch.setattr("tallystick.linear.gateway.FIRST_PAUSE", 0.01)
    with Live(tmp_path / "home", linear_url=linear.url) as running:
        yield running


def test_failures_of_linear_over_rest(server: Live, linear: LinearServer) -> None:
    path = "/v1/integrations/linear/workspaces/AV"
    with server.rest() as client:
        linear.plant(faults.too_many(3600))
        limited = client.put(path, json={"key": AV})
        assert limited.status_code == 429
        assert limited.headers["retry-after"] == "3600"
        linear.plant(faults.INTERNAL, times=4)
        assert client.put(path, json={"key": AV}).status_code == 502
        linear.plant(faults.redirected("http://127.0.0.1:9/elsewhere"))
        assert "redirect" in client.put(path, json={"key": AV}).json()["error"]["message"]
        assert client.get("/v1/integrations/linear/workspaces").json() == {"items": []}
        keyed = {"idempotency-key": "connect-once"}
        assert client.put(path, json={"key": AV}, headers=keyed).json()["replaced"] is False
        again = client.put(path, json={"key": AV}, headers=keyed).json()
        assert (again["replayed"], again["replaced"]) == (True, False)
        assert client.put(path, json={"key": JL}, headers=keyed).status_code == 409
    with server.rest(server.key(scopes=["integration:read", "integration:write"])) as agent:
        assert agent.get("/v1/integrations/linear/workspaces").status_code == 403
    assert holding(server.settings.home, AV) == ["linear.json"]


def test_others_go_on_while_linear_is_slow(server: Live, linear: LinearServer) -> None:
    """Sixteen calls wait for Linear; a write and a read of others are answered meanwhile."""
    linear.plant(faults.hangs(3), times=16)
    path = "/v1/integrations/linear/workspaces/AV"
    with server.rest() as client:
        threads = [threading.Thread(target=client.put, args=(path,), kwargs={"json": {"key": AV}}) for _ in range(16)]
        for thread in threads:
            thread.start()
        while len(linear.received) < 16:
            time.sleep(0.01)
        body = {"summary": "s", "context": "c", "conversation_id": "nc-slow-20260529"}
        assert client.post("/v1/memories", json=body).status_code == 201
        assert client.post("/v1/memory-recall", json={"query": "c"}).json()["items"]
        assert any(thread.is_alive() for thread in threads)
        for thread in threads:
            thread.join()
