"""A rebuild makes everything derived anew from what is stored, goes on after kill -9, and keeps nobody from searching."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tallystick.store import REBUILD_STEPS, IndexReport, Store, fulltext, nearest, retry, upkeep
from tallystick.store.chroma import Chroma

from .conftest import HashEmbedder, literal, meaning, put, user, words
from .talk import session, snippets, sound

ROOT = Path(__file__).parents[2]
NOTES = 20


class Counting(HashEmbedder):
    """Counts the documents it was asked for."""

    asked = 0

    def query(self, text: str) -> np.ndarray:
        return self._vector(text)

    def documents(self, texts: Sequence[str]) -> list[np.ndarray]:
        self.asked += len(texts)
        return super().documents(texts)


def fill(store: Store, notes: int = NOTES) -> int:
    owner = user(store, "ann")
    for i in range(notes):
        put(store, owner, f"walrus number {i}", f"What was decided on walrus {i}.")
    session(store, owner, "Where is the walrus?", "In Lisbon.")
    assert store.wait_indexed(30)
    return owner


def report(store: Store) -> IndexReport:
    with store.read(0) as unit:
        return unit.index()


def ask(store: Store) -> bool:
    with store.write(0) as unit:
        return unit.rebuild_index()


def until(store: Store, holds: Callable[[IndexReport], bool]) -> IndexReport:
    deadline = time.monotonic() + 30
    while not holds(found := report(store)):
        assert time.monotonic() < deadline, found
        time.sleep(0.01)
    return found


def rebuilt(store: Store) -> IndexReport:
    """The state of the indexes once no rebuild runs and nothing is behind."""
    return until(store, lambda found: found.state.rebuild is None and found.state.vectors == "ready")


def whole(store: Store, owner: int, notes: int = NOTES) -> None:
    """Everything is found, by words, literally and by meaning, and all counts agree."""
    found = rebuilt(store)
    assert (found.memories, found.sessions, found.error) == (notes, 1, None)
    assert found.vectors == found.indexed >= notes
    shown = min(notes, 50)
    assert len(words(store, owner, "walrus")) == len(literal(store, owner, "walrus num")) == shown
    assert len(meaning(store, owner, "walrus number 7")) == shown
    assert len(snippets(store, owner, "walrus", kind="session")) == 1
    sound(store)


FAULTS = {
    "an index without words": "INSERT INTO {0} ({0}) VALUES ('delete-all')",
    "no segment, no totals": "DELETE FROM {0}_data",
    "no segments": "DELETE FROM {0}_data WHERE id > 10; DELETE FROM {0}_idx",
    "segments of nonsense": "UPDATE {0}_data SET block = x'00ff'",
    "no sizes": "DELETE FROM {0}_docsize",
    "another format": "UPDATE {0}_config SET v = 99",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_full_text_is_made_anew(open_store: Callable[..., Store], home: Path, fault: str) -> None:
    store = open_store()
    owner = fill(store)
    store.close()
    with closing(sqlite3.connect(home / "tallystick.db")) as database:
        for index in fulltext.INDEXES:
            database.executescript(FAULTS[fault].format(index))
    store = open_store()
    try:
        assert not words(store, owner, "walrus")
    except sqlite3.DatabaseError:
        assert fault != "an index without words"
    assert ask(store)
    whole(store, owner)
    put(store, owner, "another walrus number", "walrus")
    assert store.wait_indexed(30)
    whole(store, owner, NOTES + 1)


def test_every_full_text_index_is_known(store: Store) -> None:
    with store.read(0) as unit:
        made = unit.driver.execute("SELECT name FROM sqlite_master WHERE sql LIKE '%USING fts5%'").fetchall()
    assert {name for (name,) in made} == set(fulltext.INDEXES)


def lose_collections(folder: Path) -> None:
    chroma = Chroma(folder, 1)
    chroma.clean([])
    chroma.close()


def spoil_database(folder: Path) -> None:
    file = folder / "chroma.sqlite3"
    file.write_bytes(b"\xa5" * file.stat().st_size)


def spoil_graphs(folder: Path) -> None:
    files = list(folder.glob("*/*"))
    assert files
    for file in files:
        file.write_bytes(b"\xa5" * file.stat().st_size)


@pytest.mark.parametrize("damage", [lose_collections, spoil_database, spoil_graphs])
def test_the_vector_index_is_made_anew(
    open_store: Callable[..., Store], home: Path, damage: Callable[[Path], None]
) -> None:
    embedder = Counting()
    store = open_store(embedder)
    owner = fill(store, notes := 400)  # so many that Chroma writes files beside its database
    store.close()
    asked = embedder.asked
    damage(home / "chroma")
    store = open_store(embedder)
    lacking = report(store)
    assert lacking.indexed < lacking.vectors
    assert lacking.error is None or "vector index cannot be read" in lacking.error
    put(store, owner, "walrus number 400", "Decided while the index was damaged.")
    asked += 3
    assert ask(store)
    notes += 1
    whole(store, owner, notes)
    assert embedder.asked == asked, "vectors are taken from the table"
    names = [one.name for one in store.vectors.chroma._client.list_collections()]
    # Twice where the damage looked like bloat.
    assert names in ([f"memories-u{owner}-g2"], [f"memories-u{owner}-g3"])
    store = open_store(embedder)
    whole(store, owner, notes)


def test_what_lacks_a_vector_gets_it(open_store: Callable[..., Store]) -> None:
    store = open_store()
    owner = fill(store)
    with store.write(0) as unit:
        unit.driver.execute("DELETE FROM vectors WHERE memory_id = (SELECT min(memory_id) FROM vectors)")
        unit.driver.execute("DELETE FROM session_vectors")
    store = open_store()
    assert len(meaning(store, owner, "walrus number 7")) == NOTES - 1
    assert ask(store)
    whole(store, owner)
    with store.read(0) as unit:
        assert unit.driver.execute("SELECT count(*) FROM session_vectors").fetchone()[0] > 0


def slowly(monkeypatch: pytest.MonkeyPatch, go: Callable[[], bool]) -> None:
    """Have the vector index filled an element at a time, and only while `go` lets it."""
    reconcile = upkeep.reconcile

    def waiting(store: Store) -> Iterator[bool]:
        for more in reconcile(store):
            until = time.monotonic() + 30
            while not go() and time.monotonic() < until:
                time.sleep(0.005)
            yield more

    monkeypatch.setattr(upkeep, "BATCH", 1)
    monkeypatch.setattr(upkeep, "reconcile", waiting)


def test_search_goes_on_and_a_second_request_changes_nothing(
    open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "EXACT", 1)  # as with many vectors: the vector index is asked
    go = threading.Event()
    slowly(monkeypatch, go.is_set)
    store = open_store()
    owner = fill(store)
    assert ask(store)
    steps = set()
    while True:
        found = report(store)
        assert found.state.rebuild is not None
        steps.add(found.state.rebuild.left)
        assert len(meaning(store, owner, "walrus number 7")) == len(words(store, owner, "walrus")) == NOTES
        if found.state.rebuild.left == ("vectors",) and found.indexed:
            break
    assert found.state.vectors == "rebuilding"
    assert found.indexed < found.vectors
    assert not ask(store)
    assert report(store).state.rebuild == found.state.rebuild
    with store.read(0) as unit:
        generation = unit.driver.execute("SELECT value FROM meta WHERE name = 'chroma.generation'").fetchone()
    assert generation == ("2",)
    assert steps <= {REBUILD_STEPS[i:] for i in range(len(REBUILD_STEPS))}
    go.set()
    while report(store).state.rebuild is not None:
        assert len(meaning(store, owner, "walrus number 7")) == NOTES
    whole(store, owner)
    assert ask(store), "when one is done, another may follow"
    whole(store, owner)


def test_what_changes_meanwhile_is_not_lost(open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch) -> None:
    made = threading.Event()
    slowly(monkeypatch, made.is_set)
    store = open_store()
    owner = fill(store)
    assert ask(store)
    until(store, lambda found: found.indexed == 1)
    gone = words(store, owner, "walrus")[:5]
    with store.write(owner) as unit:
        for memory_id in gone:
            unit.memories.erase(memory_id)
    for i in range(3):
        put(store, owner, f"walrus number {i} again", "walrus")
    made.set()
    whole(store, owner, NOTES - 5 + 3)
    assert not set(meaning(store, owner, "walrus number 7")) & set(gone)


def test_a_write_that_waits_too_long_is_told(open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch) -> None:
    from tallystick.store import StoreBusy

    begun, go, rebuild = threading.Event(), threading.Event(), fulltext.rebuild

    def waiting(driver: object, index: str) -> None:
        begun.set()
        assert go.wait(30)
        rebuild(driver, index)  # type: ignore[arg-type]

    store = open_store(busy_seconds=0.1)
    owner = fill(store)
    monkeypatch.setattr(fulltext, "rebuild", waiting)
    assert ask(store)
    assert begun.wait(30)
    with pytest.raises(StoreBusy):
        put(store, owner, "walrus")
    assert len(words(store, owner, "walrus")) == NOTES
    go.set()
    whole(store, owner)


def test_a_step_that_fails_is_told_and_tried_again(
    open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    full, rebuild = threading.Event(), fulltext.rebuild
    full.set()

    def failing(driver: object, index: str) -> None:
        if full.is_set() and index == "message_words":
            raise sqlite3.OperationalError("database or disk is full")
        rebuild(driver, index)  # type: ignore[arg-type]

    monkeypatch.setattr(fulltext, "rebuild", failing)
    monkeypatch.setattr(retry, "SECONDS", (0.05, 0.1))
    store = open_store()
    owner = fill(store)
    assert ask(store)
    found = until(store, lambda found: found.error is not None)
    assert found.state.vectors == "degraded"
    assert found.state.rebuild is not None
    assert found.state.rebuild.left[0] == "message_words"
    assert found.state.rebuild.error == found.error == "OperationalError: database or disk is full"
    full.clear()
    whole(store, owner)


KILLED = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tallystick.store import Store, fulltext, gaps, rebuild, upkeep
from tests.store.conftest import HashEmbedder
step, fts, renew, reconcile, finish = sys.argv[3], fulltext.rebuild, upkeep.renew, upkeep.reconcile, rebuild.finish
write_anew = gaps.write_anew

def stop():
    print("there", flush=True)
    time.sleep(60)

def slow_fts(driver, index):
    fts(driver, index)
    if index == step:
        stop()

def slow_write(store):
    write_anew(store)
    if step == "pages":
        stop()

def slow_renew(unit):
    renew(unit)
    if step == "renewal":
        stop()

def slow_reconcile(store):
    for more in reconcile(store):
        if step == "vectors":
            stop()
        yield more

def slow_finish(store):
    if step == "finish":
        stop()
    finish(store)

fulltext.rebuild, upkeep.renew, upkeep.reconcile, rebuild.finish = slow_fts, slow_renew, slow_reconcile, slow_finish
gaps.write_anew = slow_write
upkeep.BATCH = 7
store = Store.open(Path(sys.argv[1]), embedder=HashEmbedder())
with store.write(0) as unit:
    assert unit.rebuild_index()
time.sleep(60)
"""


@pytest.mark.parametrize("step", [*REBUILD_STEPS, "finish"])
def test_kill_9_in_the_middle_goes_on_at_the_next_start(
    home: Path, open_store: Callable[..., Store], step: str
) -> None:
    store = open_store()
    owner = fill(store)
    with store.write(0) as unit:
        for index in fulltext.INDEXES:
            unit.driver.execute(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")
    store.close()
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'server'}"}
    arguments = [sys.executable, "-c", KILLED, str(home), str(ROOT), step]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        assert "there\n" in process.stdout  # after what is logged
        process.send_signal(signal.SIGKILL)
    with closing(sqlite3.connect(home / "tallystick.db")) as database:
        (left,) = database.execute("SELECT value FROM meta WHERE name = 'index.rebuild'").fetchone()
    assert left.split()[0] == ("vectors" if step == "finish" else step)
    store = open_store()
    whole(store, owner)


def test_a_rebuild_that_was_closed_in_order_goes_on(home: Path, open_store: Callable[..., Store]) -> None:
    store = open_store()
    owner = fill(store)
    with store.write(0) as unit:
        for index in fulltext.INDEXES:
            unit.driver.execute(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")
    assert ask(store)
    store = open_store()
    whole(store, owner)
