"""backup, restore, export and import-export, as processes beside a serving one and without."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import stat
import subprocess
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
from tallystick.owner import find

from tests.e2e.process import COMMAND, Serving, answer, environment, note, serving, stop_owner, tallystick

TRANSCRIPTS = Path(__file__).parents[1] / "capture" / "data" / "home" / ".claude" / "projects"


def post(client: httpx.Client, number: int) -> str:
    made: str = client.post("/v1/memories", json=note(number)).json()["memory_id"]
    return made


def titles(home: Path) -> list[str]:
    return sorted(one["title"] for one in answer(home, "memories", "list", "--limit", "0"))


def tree(home: Path) -> dict[str, bytes]:
    """What is in a home, but for the lock and SQLite's own notes of who reads."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and not path.name.endswith(("-shm", ".lock"))
    }


def test_a_backup_beside_a_server_that_is_written_to(home: Path, tmp_path: Path) -> None:
    with serving(home) as server, server.client() as client:
        for number in range(20):
            post(client, number)
        done = threading.Event()

        def write() -> None:
            with server.client() as other:
                number = 100
                while not done.is_set():
                    post(other, number)
                    number += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            made = [answer(home, "backup", str(tmp_path / f"{number}.db")) for number in range(3)]
        finally:
            done.set()
            writer.join()
        mine = answer(home, "backup")
        assert server.stop() == 0
    assert Path(mine["file"]).parent == home / "backups"
    for one in [*made, mine]:
        file = Path(one["file"])
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        with sqlite3.connect(file) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            found = connection.execute("SELECT count(*) FROM memories").fetchone()[0]
        connection.close()
        assert found == one["records"]["memories"] >= 20
    assert len(titles(home)) == mine["records"]["memories"]


def test_there_and_back(home: Path) -> None:
    with serving(home) as server, server.client() as client:
        key = answer(home, "keys", "create", "--agent", "claude")["key"]
        post(client, 1)
        backup = answer(home, "backup")["file"]
        post(client, 2)
        refused = tallystick(home, "restore", backup, "--yes")
        assert refused.returncode == 1
        assert f"by process {server.process.pid} " in refused.stderr
        assert server.stop() == 0
    before = tree(home)
    asked = tallystick(home, "restore", backup)
    assert asked.returncode == 1
    assert "--yes" in asked.stderr
    assert tree(home) == before
    done = answer(home, "restore", backup, "--yes")
    assert done["records"]["memories"] == 1
    assert titles(home) == ["Decided number 1"]
    with serving(home) as server, server.client(key) as client:
        hits = client.post("/v1/memory-search", json={"query": "what was decided"}).json()["memories"]
        assert [hit["summary"] for hit in hits] == ["Decided number 1"]
        server.stop()
    said = tallystick(home, "restore", done["kept"], "--yes")
    assert said.returncode == 0, said.stderr
    assert "kept as" in said.stdout
    assert titles(home) == ["Decided number 1", "Decided number 2"]
    assert answer(home, "doctor")["ok"] is True


def test_half_a_backup_changes_nothing(home: Path, tmp_path: Path) -> None:
    answer(home, "keys", "create", "--agent", "a")
    file = tmp_path / "backup.db"
    answer(home, "backup", str(file))
    file.write_bytes(file.read_bytes()[:-9000])
    before = tree(home)
    done = tallystick(home, "restore", str(file), "--yes")
    assert done.returncode == 1
    assert str(file) in done.stderr
    assert "Traceback" not in done.stderr
    assert tree(home) == before


def test_transcripts_are_captured_again_after_a_restore(home: Path, tmp_path: Path) -> None:
    source = tmp_path / "projects"
    shutil.copytree(TRANSCRIPTS, source)
    answer(home, "keys", "create", "--agent", "a")
    backup = answer(home, "backup")["file"]
    first = answer(home, "import", str(source), "--client", "claude-code")
    assert first["new"] > 0
    assert answer(home, "import", str(source), "--client", "claude-code")["new"] == 0
    stop_owner(home)
    answer(home, "restore", backup, "--yes")
    assert answer(home, "sessions", "list") == []
    assert answer(home, "import", str(source), "--client", "claude-code")["new"] == first["new"]


def test_erased_sessions_leave_nothing_of_their_transcripts(home: Path, tmp_path: Path) -> None:
    source = tmp_path / "projects"
    shutil.copytree(TRANSCRIPTS, source)
    for path in source.rglob("*.jsonl"):
        path.write_bytes(re.sub(rb'("text": ?")', rb"\1zqxjvkw7 ", path.read_bytes()))
    answer(home, "import", str(source), "--client", "claude-code")
    stop_owner(home)
    assert any(b"zqxjvkw7" in data for data in tree(home).values())
    with serving(home) as server:
        for one in answer(home, "sessions", "list"):
            answer(home, "sessions", "erase", one["id"], "--yes")
        wait_for(lambda: not any(b"xjvkw7" in data for data in tree(home).values()))
        assert server.stop() == 0
    assert not any(b"xjvkw7" in data for data in tree(home).values())


def wait_for(holds: Any) -> None:
    pause = threading.Event()
    for _ in range(400):
        if holds():
            return
        pause.wait(0.05)
    raise AssertionError


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of a server that holds memories, sessions, a link, facts and a persona, taken while it serves."""
    folder = tmp_path_factory.mktemp("exported")
    with serving(folder / "home") as server:
        write_something(server)
        file = folder / "export.jsonl"
        told = answer(server.home, "export", str(file))
        assert told["counts"]["memory"] == 3
        streamed = tallystick(server.home, "export").stdout
        assert streamed.splitlines()[1:] == file.read_text("utf-8").splitlines()[1:]
        assert server.stop() == 0
    return file


def write_something(server: Serving) -> None:
    with server.client() as client:
        for number in range(2):
            post(client, number)
        memory = post(client, 3)
        client.patch(f"/v1/memories/{memory}", json={"body": "用户 ★ moved to 2026-03-14", "tags": ["sea"]})
        messages = [{"id": f"m{n}", "role": "user", "content": f"said {n}"} for n in range(300)]
        for name in ("one", "two"):
            assert client.put(f"/v1/sessions/{name}", json={"messages": messages}).is_success
        assert client.post("/v1/session-links", json={"from": "one", "to": "two", "kind": "branch"}).is_success
        assert client.patch("/v1/facts", json={"city": "Zürich"}).is_success
        texts = ("definition", "communication_style", "behavioral_guidelines")
        assert client.put("/v1/personas/pirate", json=dict.fromkeys(texts, "arr")).is_success


def test_into_another_home_and_out_again(exported: Path, home: Path, tmp_path: Path) -> None:
    assert stat.S_IMODE(exported.stat().st_mode) == 0o600
    first = answer(home, "import-export", str(exported))
    counts = json.loads(exported.read_text("utf-8").splitlines()[0])["counts"]
    assert first == {"user": "local", "new": {name: n for name, n in counts.items() if n}, "known": {}}
    again = answer(home, "import-export", str(exported))
    assert (again["new"], again["known"]) == ({}, first["new"])
    answer(home, "export", str(tmp_path / "again.jsonl"))
    lines = exported.read_text("utf-8").splitlines()
    assert (tmp_path / "again.jsonl").read_text("utf-8").splitlines()[1:] == lines[1:]
    with serving(home) as server, server.client() as client:
        found = client.post("/v1/memory-recall", json={"query": "用户"}).json()["items"]
        assert [item["tags"] for item in found] == [["sea"]]
        wait_for(lambda: client.post("/v1/memory-search", json={"query": "what was decided"}).json()["memories"])
        read = client.get("/v1/sessions/one", params={"limit": 1, "offset": 299}).json()
        assert read["messages"][0]["content"] == "said 299"
        taken = tallystick(home, "import-export", str(exported))
        assert taken.returncode == 1
        assert f"by process {server.process.pid} " in taken.stderr


def test_from_one_process_into_the_next(exported: Path, home: Path) -> None:
    told = exported.parent / "home"
    piped = subprocess.Popen([*COMMAND, "export", "-"], env=environment(told), stdout=subprocess.PIPE)
    done = tallystick(home, "import-export", "-", stdin=piped.stdout)
    assert piped.wait() == 0
    assert done.returncode == 0, done.stderr
    assert "memory 3" in done.stdout
    assert titles(home) == titles(told)


def test_half_a_file_is_refused_whole(exported: Path, home: Path, tmp_path: Path) -> None:
    answer(home, "keys", "create", "--agent", "a")
    file = tmp_path / "half.jsonl"
    file.write_bytes(exported.read_bytes()[:-1000])
    done = tallystick(home, "import-export", str(file))
    assert done.returncode == 1
    assert re.search(r"half.jsonl, line \d+: this is not JSON; .* Nothing was imported\.$", done.stderr.strip())
    assert titles(home) == answer(home, "sessions", "list") == []
    assert find(home) is None


def test_words_for_what_cannot_be_done(exported: Path, home: Path, tmp_path: Path) -> None:
    nothing: list[tuple[tuple[str, ...], str]] = [
        (("backup",), "nothing is stored there yet"),
        (("export",), "nothing is stored there yet"),
        (("import-export", str(tmp_path / "none")), "cannot be read"),
        (("import-export", str(tmp_path)), "cannot be read"),
    ]
    for arguments, said in nothing:
        done = tallystick(home, *arguments)
        assert (done.returncode, said in done.stderr, "Traceback" in done.stderr) == (1, True, False), done.stderr
    assert not home.exists()
    told = exported.parent / "home"
    refused: list[tuple[tuple[str, ...], str]] = [
        (("export", str(exported)), "there already"),
        (("export", "--user", "bob"), "no user bob"),
        (("export", "--json"), "name one"),
        (("export", str(tmp_path / "no" / "file")), "cannot be written"),
    ]
    for arguments, said in refused:
        done = tallystick(told, *arguments)
        assert (done.returncode, said in done.stderr, "Traceback" in done.stderr) == (1, True, False), done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_standard_output_is_said(exported: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "export"], env=environment(exported.parent / "home"), stdout=full, stderr=subprocess.PIPE,
            timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(b"tallystick: Standard output cannot be written")
