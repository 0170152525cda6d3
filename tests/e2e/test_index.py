"""`tallystick index`: what is derived is damaged, looked at, and made anew, while a server runs and while none does."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tallystick.store.chroma import Chroma
from tallystick.store.fulltext import INDEXES

from tests.e2e.process import answer, note, serving, tallystick

TALK = [
    {"id": "m1", "role": "user", "content": "Which decision did we take on walruses?"},
    {"id": "m2", "role": "assistant", "content": "Number 2, in Lisbon."},
]
NOTHING = {"total": 0, "behind": 0}
OWNER = 1  # the first user there is: local


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with three memories and a session, of which every index has all."""
    home = tmp_path_factory.mktemp("stored") / "home"
    with serving(home) as server, server.client() as client:
        for number in (1, 2, 3):
            assert client.post("/v1/memories", json=note(number)).status_code == 201
        assert client.put("/v1/sessions/s-1", json={"agent": "claude", "messages": TALK}).is_success
        wait(client)
        server.stop()
    return home


@pytest.fixture
def damaged(stored: Path, tmp_path: Path) -> Path:
    """A copy of it whose full-text indexes have no word and whose vector index has no vector."""
    home = tmp_path / "home"
    shutil.copytree(stored, home)
    with contextlib.closing(sqlite3.connect(home / "tallystick.db")) as database:
        for index in INDEXES:
            database.execute(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")
        database.commit()
    chroma = Chroma(home / "chroma", 1)
    chroma.remove(OWNER, chroma.ids(OWNER))
    chroma.close()
    return home


def wait(client: httpx.Client) -> dict[str, Any]:
    """The state of the indexes once nothing is behind."""
    until = time.monotonic() + 60
    while (found := client.get("/v1/index").json())["state"] != "ready":
        assert time.monotonic() < until, found
        time.sleep(0.05)
    return dict(found)


def finds(home: Path) -> list[int]:
    """How much is found literally, by words in memories, and by words in messages."""
    with serving(home) as server, server.client() as client:
        found = [
            len(client.post("/v1/memory-recall", json={"query": "story of decision"}).json()["items"]),
            len(client.post("/v1/search", json={"query": "decision", "kind": "memory"}).json()["results"]),
            len(client.post("/v1/search", json={"query": "walruses", "kind": "session"}).json()["results"]),
        ]
        server.stop()
    return found


@contextlib.contextmanager
def place(home: Path, running: bool) -> Iterator[None]:
    with serving(home) if running else contextlib.nullcontext():
        yield


@pytest.mark.parametrize("running", [True, False], ids=["running", "not running"])
def test_what_is_damaged_is_made_anew(damaged: Path, running: bool) -> None:
    assert finds(damaged) == [0, 0, 0]
    with place(damaged, running):
        before = answer(damaged, "index", "status")
        assert before["memories"] == {"total": 3, "behind": 0}
        assert before["vectors"]["indexed"] == 0 < before["vectors"]["total"]
        told = tallystick(damaged, "index", "status")
        assert "tallystick index rebuild" in told.stdout

        done = answer(damaged, "index", "rebuild")
        assert done["state"] == "ready"
        assert (done["memories"], done["sessions"]) == ({"total": 3, "behind": 0}, {"total": 1, "behind": 0})
        assert done["vectors"]["indexed"] == done["vectors"]["total"] == before["vectors"]["total"]
        assert answer(damaged, "index", "status") == done
        told = tallystick(damaged, "index", "rebuild")
        assert told.returncode == 0
        assert (
            told.stdout == f"The indexes are made anew: 3 memories, 1 sessions, {done['vectors']['total']} vectors.\n"
        )
        assert told.stderr == ""
    assert finds(damaged) == [3, 3, 1]


def test_what_is_only_asked_for_is_done_by_the_next_start(damaged: Path) -> None:
    told = tallystick(damaged, "index", "rebuild", "--no-wait")
    assert told.returncode == 0
    assert "at the next start" in told.stdout
    with serving(damaged) as server, server.client() as client:
        found = wait(client)
    assert found["vectors"]["indexed"] == found["vectors"]["total"] > 0
    assert finds(damaged) == [3, 3, 1]


def test_a_vector_index_that_does_not_open_is_replaced(damaged: Path) -> None:
    (damaged / "chroma" / "chroma.sqlite3").write_bytes(b"no database at all" * 1000)
    told = tallystick(damaged, "index", "status")
    assert told.returncode == 0
    assert "State: degraded" in told.stdout
    done = answer(damaged, "index", "rebuild")
    assert done["vectors"]["indexed"] == done["vectors"]["total"] > 0


def test_a_failure_is_told(damaged: Path) -> None:
    with contextlib.closing(sqlite3.connect(damaged / "tallystick.db")) as database:
        database.execute("DROP TABLE message_words_docsize")
    with serving(damaged):
        done = tallystick(damaged, "index", "rebuild")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "step 3 of 6, words of messages" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_indexes_are_the_servers(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with serving(home) as server:
        key = answer(home, "keys", "create", "--agent", "a", "--scope", "memory:read,memory:write")["key"]
        with server.client(key) as client:
            assert client.get("/v1/index").status_code == 403
            assert client.post("/v1/index/rebuild").status_code == 403
        with server.client() as client:
            found = client.get("/v1/index").json()
            assert (found["memories"], found["sessions"]) == (NOTHING, NOTHING)
            made = client.post("/v1/index/rebuild", headers={"idempotency-key": "k-1"}).json()
            assert made["started"] is True
            wait(client)
            again = client.post("/v1/index/rebuild", headers={"idempotency-key": "k-1"}).json()
            assert (again["started"], again["replayed"]) == (True, True)
            assert client.get("/v1/index").json()["state"] == "ready"
            audit = client.get("/v1/audit", params={"operation": "rebuild_index"}).json()
            assert len(audit["items"]) == 1
