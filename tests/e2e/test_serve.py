"""`tallystick serve` as a process: start, stop, kill, and what it refuses."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from tests.e2e.process import COMMAND, Serving, answer, environment, note, serving, tallystick, wait_for_owner

KEY = re.compile(r"tsk_[0-9a-f]{12}_[0-9a-f]{20,}")


def test_a_killed_server_loses_nothing_it_acknowledged(home: Path) -> None:
    with serving(home) as server, server.client() as client:
        kept = [client.post("/v1/memories", json=note(n)).json()["memory_id"] for n in range(10)]
        server.process.kill()
        server.process.wait()
    assert (home / "run" / "server.json").exists()
    with serving(home) as server, server.client() as client:
        found = client.post("/v1/memory-recall", json={"query": "the long story", "limit": 50}).json()["items"]
        assert {item["id"] for item in found} == set(kept)
        assert client.get(f"/v1/memories/{kept[3]}").json()["context"] == note(3)["context"]
        assert client.post("/v1/memories", json=note(10)).status_code == 201


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(home: Path, number: signal.Signals) -> None:
    with serving(home) as server:
        file = home / "run" / "server.json"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        said = json.loads(file.read_text("utf-8"))
        assert set(said) == {"pid", "host", "port", "token", "version", "home", "started"}
        assert said["pid"] == server.process.pid
        assert said["home"] == str(home)
        assert server.stop(number) == 0
        assert not file.exists()
        assert server.errors.read_text("utf-8") == ""


def test_a_client_that_goes_away_is_no_failure(home: Path) -> None:
    """One that ends in the middle of what it sends, as a killed agent does, leaves no traceback."""
    with serving(home) as server:
        token, log = wait_for_owner(home).token, home / "logs" / "mcp.log"
        for path in ("/mcp", "/v1/memories"):
            head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
            with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as client:
                client.sendall(f'{head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{"summ'.encode())
        until = time.monotonic() + 20
        while "INVALID_PARAMS" not in log.read_text("utf-8"):
            assert time.monotonic() < until
            time.sleep(0.05)
        assert server.stop(signal.SIGTERM) == 0
        assert server.output.read_text("utf-8").count("error") == 0
        assert server.errors.read_text("utf-8") == ""


def test_it_says_where_it_is_and_how_to_connect_but_prints_no_key_into_a_pipe(home: Path) -> None:
    with serving(home) as server:
        said = server.output.read_text("utf-8")
        assert server.url in said
        assert str(home) in said
        assert "claude mcp add --scope user tallystick -- " in said
        assert f"claude mcp add --scope user --transport http tallystick {server.url}/mcp" in said
        assert f"curl -s {server.url}/v1/me" in said
        assert "tallystick keys create --agent NAME" in said
        assert not KEY.search(said)
        assert answer(home, "keys", "list") == []


@pytest.mark.skipif(os.name != "posix", reason="a terminal is made by openpty")
def test_the_first_start_on_a_terminal_prints_a_key_once(home: Path) -> None:
    first, again = (_said_on_a_terminal(home) for _ in range(2))
    (key,) = set(KEY.findall(first))
    assert not KEY.search(again)
    with serving(home) as server, server.client(key) as client:
        me = client.get("/v1/me").json()
        assert (me["user"], me["agent"]) == ("local", "default")
        assert client.post("/v1/memories", json=note()).status_code == 201
    assert [one["agent"] for one in answer(home, "keys", "list")] == ["default"]


def _said_on_a_terminal(home: Path) -> str:
    ours, theirs = os.openpty()
    process = subprocess.Popen([*COMMAND, "serve", "--port", "0"], env=environment(home), stdout=theirs, stderr=theirs)
    os.close(theirs)
    try:
        wait_for_owner(home, process)
        said = b""
        while b"Stop with Ctrl-C" not in said:
            said += os.read(ours, 65536)
    finally:
        process.terminate()
        assert process.wait(30) == 0
        os.close(ours)
    return said.decode()


def test_a_second_server_of_a_home_is_refused(home: Path) -> None:
    with serving(home) as server:
        done = tallystick(home, "serve", "--port", "0")
        assert done.returncode == 1
        assert f"process {server.process.pid}" in done.stderr
        assert server.url in done.stderr
        assert "Traceback" not in done.stderr
        assert httpx.get(f"{server.url}/health/live").status_code == 200


def test_a_port_in_use_is_refused_with_what_to_do(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = tallystick(home, "serve", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 1
    assert "Give another port with --port" in done.stderr
    assert "Traceback" not in done.stderr


def test_other_machines_are_let_in_only_with_a_key(home: Path) -> None:
    done = tallystick(home, "serve", "--host", "0.0.0.0", "--port", "0")
    assert done.returncode == 1
    assert "no key exists yet" in done.stderr
    assert "tallystick keys create --agent NAME" in done.stderr
    made = answer(home, "keys", "create", "--agent", "laptop")
    with serving(home, "--host", "0.0.0.0") as server, server.client(made["key"]) as client:
        assert client.get("/v1/me").status_code == 200
    answer(home, "keys", "revoke", made["id"])
    assert tallystick(home, "serve", "--host", "0.0.0.0", "--port", "0").returncode == 1


def test_a_damaged_database_is_refused_and_left_as_it_is(home: Path) -> None:
    with serving(home) as server:
        server.stop()
    database = home / "tallystick.db"
    damaged = b"SQLite format 3\x00" + b"\xa5" * 50_000
    database.write_bytes(damaged)
    done = tallystick(home, "serve", "--port", "0")
    assert done.returncode == 1
    assert str(database) in done.stderr
    assert "Traceback" not in done.stderr
    assert database.read_bytes() == damaged


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--port", "70000"), "TALLYSTICK_PORT"),
        (("--port", "http"), "TALLYSTICK_PORT"),
        (("--tools", "x"), "TALLYSTICK_TOOLS"),
    ],
)
def test_a_wrong_setting_is_named(home: Path, arguments: tuple[str, ...], words: str) -> None:
    done = tallystick(home, "serve", *arguments)
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_setting_without_an_option_is_named_as_the_environment_has_it(home: Path) -> None:
    done = tallystick(home, "serve", env={"TALLYSTICK_LOG_LEVEL": "loud"})
    assert done.returncode == 1
    assert "log_level (TALLYSTICK_LOG_LEVEL): " in done.stderr
    assert "--log_level" not in done.stderr


def test_tools_limits_what_is_offered(home: Path) -> None:
    with Serving(home, "--tools", "recall").client() as client:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        accept = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
        tools = client.post("/mcp", json=body, headers=accept).json()["result"]["tools"]
    assert {tool["name"] for tool in tools} == {"recall_memory", "get_help"}


def test_it_ends_when_nobody_asks_any_more(home: Path) -> None:
    with serving(home, "--idle-exit", "1.5") as server:
        for _ in range(6):
            time.sleep(0.4)
            assert httpx.get(f"{server.url}/health/live").status_code == 200
        assert server.process.wait(10) == 0
    assert not (home / "run" / "server.json").exists()
