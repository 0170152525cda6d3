"""keys, memories and doctor, while a server runs and while none does."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import stat
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from tallystick.cli.parser import build
from tallystick.owner import find

from tests.e2e.process import COMMAND, Serving, answer, environment, note, serving, tallystick


@pytest.fixture(params=["running", "not running"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A home with a server, and one without."""
    home = tmp_path / "home"
    with serving(home) if request.param == "running" else contextlib.nullcontext():
        yield home


def test_keys(place: Path) -> None:
    made = answer(place, "keys", "create", "--agent", "claude", "--scope", "memory:read,memory:write")
    assert made["key"].startswith("tsk_")
    assert (made["user"], made["agent"], made["scopes"]) == ("local", "claude", ["memory:read", "memory:write"])
    shown = tallystick(place, "keys", "create", "--agent", "cursor", "--user", "nicole")
    (key,) = shown.stdout.splitlines()  # alone, for a shell to take
    assert key.startswith("tsk_")
    assert "nicole" in shown.stderr

    listed = tallystick(place, "keys", "list")
    assert made["id"] in listed.stdout
    assert made["key"] not in listed.stdout
    assert key not in listed.stdout
    assert {one["user"] for one in answer(place, "keys", "list")} == {"local", "nicole"}

    assert tallystick(place, "keys", "revoke", made["id"]).returncode == 0
    states = {one["id"]: "revoked" in one for one in answer(place, "keys", "list")}
    assert states[made["id"]]
    assert sorted(states.values()) == [False, True]


def test_a_key_made_or_revoked_counts_at_once(home: Path) -> None:
    with serving(home) as server:
        made = answer(home, "keys", "create", "--agent", "claude")
        with server.client(made["key"]) as client:
            assert client.get("/v1/me").json()["agent"] == "claude"
            answer(home, "keys", "revoke", made["id"])
            assert client.get("/v1/me").status_code == 401


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("keys", "create", "--agent", "a", "--scope", "memory:everything"), "/scopes/0"),
        (("keys", "create", "--agent", "a/b"), "/agent"),
        (("keys", "revoke", "key_unknown"), "key_unknown"),
        (("memories", "show", "mem_unknown"), "mem_unknown"),
        (("memories", "erase", "mem_unknown", "--yes"), "mem_unknown"),
    ],
)
def test_a_refusal_is_a_sentence(server: Serving, arguments: tuple[str, ...], words: str) -> None:
    done = tallystick(server.home, *arguments)
    assert done.returncode == 1
    assert done.stderr.startswith("tallystick: ")
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("memories", "list", "--limit", "-5"), "'-5' is no whole number"),
        (("memories", "list", "--limit", "many"), "'many' is no whole number"),
        (("memories", "list", "--lim", "5"), "unrecognized arguments: --lim"),
        (("serve", "--por", "0"), "unrecognized arguments: --por"),
    ],
)
def test_an_argument_that_is_not_understood_is_named(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        build().parse_args(arguments)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_memories(place: Path) -> None:
    assert answer(place, "memories", "list") == []
    with _store(place) as ids:
        listed = tallystick(place, "memories", "list")
        assert all(memory_id in listed.stdout for memory_id in ids)
        assert "★ 🎉 完成 [bold]naïve[/bold]" in listed.stdout
        assert [one["id"] for one in answer(place, "memories", "list", "--query", "NUMBER 2")] == [ids[1]]
        assert len(answer(place, "memories", "list", "--limit", "2")) == 2

        assert answer(place, "memories", "show", ids[1])["context"] == note(2)["context"]
        shown = tallystick(place, "memories", "show", ids[2])
        assert shown.stdout.endswith("\nline one\nline two\n")

        asked = tallystick(place, "memories", "erase", ids[0])
        assert asked.returncode == 1
        assert "--yes" in asked.stderr
        assert answer(place, "memories", "erase", ids[0], "--yes")["erased"] is True
        assert [one["id"] for one in answer(place, "memories", "list")] == [ids[2], ids[1]]


@contextlib.contextmanager
def _store(home: Path) -> Iterator[list[str]]:
    starred = {**note(3), "summary": "★ 🎉 完成 [bold]naïve[/bold]", "context": "line one\nline two"}
    with contextlib.ExitStack() as stack:
        owner = find(home)
        server = None if owner else stack.enter_context(serving(home))
        running = owner or find(home)
        assert running is not None
        with httpx.Client(base_url=running.url, headers={"authorization": f"Bearer {running.token}"}) as client:
            ids = [client.post("/v1/memories", json=body).json()["memory_id"] for body in (note(1), note(2), starred)]
        if server is not None:
            server.stop()
        yield ids


def test_a_terminal_of_another_encoding_is_no_failure(server: Serving) -> None:
    with server.client() as client:
        client.post("/v1/memories", json={**note(), "summary": "★ 🎉 完成"})
    for encoding in ("cp950", "cp1252", "ascii"):
        done = tallystick(
            server.home, "memories", "list", env={"PYTHONIOENCODING": encoding, "LC_ALL": "C"}, errors="replace"
        )
        assert done.returncode == 0, done.stderr
        found = answer(server.home, "memories", "list")
        assert found[0]["title"] == "★ 🎉 完成"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [("export",), ("keys", "list")])
def test_no_room_for_what_is_printed(server: Serving, arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        command, given = [*COMMAND, *arguments], environment(server.home)
        done = subprocess.run(command, env=given, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "Make room" in done.stderr


def test_doctor_on_a_home_in_order(place: Path) -> None:
    answer(place, "keys", "create", "--agent", "a")
    report = answer(place, "doctor")
    assert report["ok"] is True
    checks = {one["check"]: one for one in report["checks"]}
    assert {name for name in checks if not name.startswith("client ")} == {
        "settings", "home", "permissions", "server", "database", "indexing", "counts", "vectors", "model", "disk",
    }  # fmt: skip
    assert "quick_check ok" in checks["database"]["found"]
    told = tallystick(place, "doctor").stdout
    assert "All is well." in told
    running = find(place)
    if running is not None:
        assert str(running.pid) in checks["server"]["found"]
        assert running.token not in told


def test_doctor_on_a_home_that_is_not_made_makes_none(home: Path) -> None:
    assert answer(home, "doctor")["ok"] is True
    assert not home.exists()


def test_doctor_says_what_is_amiss_and_what_to_do(home: Path) -> None:
    answer(home, "keys", "create", "--agent", "a")
    database = home / "tallystick.db"
    database.chmod(0o644)
    assert stat.S_IMODE(database.stat().st_mode) == 0o644
    done = tallystick(home, "doctor")
    assert done.returncode == 1
    assert "FAIL  permissions" in done.stdout
    assert "chmod go-rwx" in done.stdout
    (home / "logs" / "nowhere").symlink_to("nothing")
    assert "FAIL  permissions" in tallystick(home, "doctor").stdout, "a link that leads nowhere hinders nothing"
    database.chmod(0o600)

    whole = database.read_bytes()
    database.write_bytes(whole[:8192] + b"\xa5" * (len(whole) - 8192))
    for left in home.glob("tallystick.db-*"):
        left.unlink()
    done = tallystick(home, "doctor")
    assert done.returncode == 1
    assert "FAIL  database" in done.stdout
    assert "restore a backup" in done.stdout


@pytest.mark.parametrize("spoilt", ["run", "run/owner.lock"])
def test_doctor_looks_to_the_end_where_the_home_cannot_be_taken(home: Path, spoilt: str) -> None:
    answer(home, "keys", "create", "--agent", "a")
    (home / "chroma").mkdir()
    place = home / spoilt
    if place.is_dir():
        shutil.rmtree(place)
        place.write_text("no folder")
    else:
        place.unlink(missing_ok=True)
        place.mkdir()
    done = tallystick(home, "doctor", "--fix")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
    assert f"{place} cannot be opened" in done.stdout
    assert "ok    disk" in done.stdout


def test_doctor_mends_what_it_can(home: Path, tmp_path: Path) -> None:
    with serving(home) as server, server.client() as client:
        for number in range(3):
            assert client.post("/v1/memories", json=note(number)).status_code == 201
    with closing(sqlite3.connect(home / "tallystick.db", isolation_level=None)) as database:
        database.execute("DELETE FROM memory_words_docsize WHERE id = 1")
    (home / "tallystick.db").chmod(0o644)
    (home / "chroma").mkdir(exist_ok=True)
    (home / "chroma" / "chroma.sqlite3").write_bytes(b"\xff" * 8192)
    person = tmp_path / "person"
    (person / ".cursor").mkdir(parents=True)
    entry = {"mcpServers": {"tallystick": {"command": "/gone/tallystick", "args": ["mcp"]}}}
    (person / ".cursor" / "mcp.json").write_text(json.dumps(entry), "utf-8")
    env = {"HOME": str(person)}
    found = tallystick(home, "doctor", env=env).stdout
    for words in ("FAIL  permissions", "FAIL  counts      2 of 3 memories in the full text", "FAIL  vectors"):
        assert words in found
    assert "starts '/gone/tallystick', which is not there" in found
    fixed = tallystick(home, "doctor", "--fix", env=env)
    assert [line[6:] for line in fixed.stdout.splitlines() if line.startswith("FAIL")] == [
        next(line for line in found.splitlines() if "/gone/tallystick" in line)[6:]
    ]
    connected = tallystick(home, "connect", "cursor", "--write", env=env)
    assert connected.returncode == 0, connected.stderr
    assert tallystick(home, "doctor", env=env).returncode == 0
    assert len(answer(home, "memories", "list")) == 3


def test_a_key_made_without_scopes_is_no_administrator(place: Path) -> None:
    made = answer(place, "keys", "create", "--agent", "a")
    assert "admin" not in made["scopes"]
    assert {"memory:erase", "session:write", "facts:write"} <= set(made["scopes"])
    assert "admin" in answer(place, "keys", "create", "--agent", "b", "--scope", "all")["scopes"]


def test_a_list_says_when_there_is_more(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with serving(home) as server, server.client() as client:
        for number in range(3):
            client.post("/v1/memories", json=note(number)).raise_for_status()
        assert "The first 2 of more" in tallystick(home, "memories", "list", "--limit", "2").stderr
        assert tallystick(home, "memories", "list", "--limit", "3").stderr == ""
        assert len(answer(home, "memories", "list", "--limit", "2")) == 2
        missing = client.get("/nope").json()["error"]
        assert "/openapi.json" in missing["next_action"]
        assert "list" in tallystick(home, "memories", "show", "nope").stderr
