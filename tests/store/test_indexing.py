"""The background work: soon, in order of need, and none of it lost by kill -9."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from tallystick.store import FloatArray, MiniLm, Store, indexer, retry, upkeep

from .conftest import HashEmbedder, draft, literal, meaning, put, user, words

SERVER = Path(__file__).parents[2] / "server"
LONG = " ".join(f"Step {i}: copy file number {i * 7} to the archive and note its checksum." for i in range(420))


def counts(store: Store, owner: int) -> tuple[int, set[int], set[int]]:
    """Memories, vector rows, and elements in Chroma."""
    with store.read(owner) as unit:
        memories = unit.driver.execute("SELECT count(*) FROM memories WHERE owner = ?", [owner]).fetchone()[0]
        rows = {row[0] for row in unit.driver.execute("SELECT n FROM vectors WHERE owner = ?", [owner])}
    return memories, rows, store.vectors.chroma.ids(owner)


def test_a_long_text_is_found_before_all_of_it_is_embedded(open_store: Callable[..., Store], model: MiniLm) -> None:
    store = open_store(model)
    owner = user(store, "ann")
    made = put(store, owner, "Archive run", f"The walrus sculpture was shipped to Lisbon. {LONG}")
    assert words(store, owner, "walrus") == literal(store, owner, "number 42 ") == [made.id]
    until = time.monotonic() + 60
    while not meaning(store, owner, "Where did the statue of the sea animal go?"):
        assert time.monotonic() < until
        time.sleep(0.01)
    assert store.state().behind == 1
    assert store.state().vectors == "indexing"
    store.close()  # in the middle: what is done stays done
    store = open_store(model)
    with store.read(owner) as unit:
        before = unit.driver.execute("SELECT count(*) FROM vectors").fetchone()[0]
    assert before >= 3
    other = put(store, owner, "Lunch", "Pasta with capers")
    while other.id not in meaning(store, owner, "what did we eat?"):
        assert time.monotonic() < until
        time.sleep(0.01)
    assert store.state().behind >= 1, "the long body must not keep a new memory waiting"
    assert store.wait_indexed(60)
    memories, rows, elements = counts(store, owner)
    assert memories == 2
    assert rows == elements
    assert len(rows) > before
    assert store.state().vectors == "ready"


def test_an_edit_hides_the_old_text_at_once(store: Store, owner: int) -> None:
    kept = put(store, owner, "alpha secret plan", "alpha secret plan", conversation_id="c")
    after = put(store, owner, "weather", "sunny", conversation_id="c")
    assert store.wait_indexed(30)
    assert words(store, owner, "secret") == [kept.id, after.id], "the second by its context"
    assert meaning(store, owner, "alpha secret plan", 1) == [kept.id]
    with store.write(owner) as unit:
        unit.memories.update(kept.id, {"title": "beta schedule", "summary": "beta", "body": "beta"}, agent="a")
    assert words(store, owner, "secret") == literal(store, owner, "secret") == []
    with store.read(owner) as unit:  # gone, or there already with its new vectors
        assert dict(unit.nearest(unit.embed("alpha secret plan"), 9)).get(kept.id, 0) < 0.6
    assert store.wait_indexed(30)
    with store.read(owner) as unit:
        scores = dict(unit.nearest(unit.embed("alpha secret plan"), 9))
        assert unit.nearest(unit.embed("beta schedule"), 1) == [(kept.id, 1.0)]
    assert scores[kept.id] < 0.6
    _, rows, elements = counts(store, owner)
    assert rows == elements


class Stubborn(HashEmbedder):
    """Cannot embed one text until told."""

    refuses = "poison"

    def documents(self, texts: Sequence[str]) -> list[np.ndarray]:
        if any(self.refuses in text for text in texts):
            raise RuntimeError("cannot embed this")
        return super().documents(texts)


def test_one_memory_that_fails_keeps_no_other_waiting(open_store: Callable[..., Store]) -> None:
    embedder = Stubborn()
    store = open_store(embedder)
    owner = user(store, "ann")
    put(store, owner, "poison", "poison")
    fine = put(store, owner, "fine", "fine")
    until = time.monotonic() + 20
    while store.state().behind != 1 or meaning(store, owner, "fine") != [fine.id]:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert store.state().vectors == "degraded"
    assert store.state().error == "RuntimeError: cannot embed this"
    embedder.refuses = "nothing any more"
    assert store.wait_indexed(30)
    assert store.state().vectors == "ready"


def wait_for(store: Store, state: str) -> None:
    until = time.monotonic() + 20
    while store.state().vectors != state:
        assert time.monotonic() < until, store.state()
        time.sleep(0.02)


def test_an_erased_memory_takes_its_error_along(open_store: Callable[..., Store]) -> None:
    store = open_store(Stubborn())
    owner = user(store, "ann")
    bad = put(store, owner, "poison", "poison")
    wait_for(store, "degraded")
    with store.write(owner) as unit:
        unit.memories.erase(bad.id)
    assert store.wait_indexed(30)
    wait_for(store, "ready")
    until = time.monotonic() + 20
    while store._indexer._jobs or store._indexer._pause() < 60:  # until nothing is tried again but the hourly purge
        assert time.monotonic() < until
        time.sleep(0.02)


class Gated(HashEmbedder):
    """Embeds nothing before `go` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def documents(self, texts: Sequence[str]) -> list[FloatArray]:
        assert self.go.wait(20)
        return super().documents(texts)


def test_an_edit_while_the_vector_index_fails_is_embedded(
    open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = Gated()
    store = open_store(embedder)
    ann, ben = user(store, "ann"), user(store, "ben")
    put(store, ben, "tapir", "tapir")
    made = put(store, ann, "alpha", "alpha")
    works = store.vectors.chroma.upsert

    def fails_once(owner: int, rows: Sequence[tuple[int, str, FloatArray]]) -> None:
        if owner == ben:  # after those of ann, whose change came last
            monkeypatch.undo()
            with store.write(ann) as unit:
                unit.memories.update(made.id, {"title": "walrus", "summary": "walrus", "body": "walrus"}, agent="a")
            raise RuntimeError("no room")
        works(owner, rows)

    monkeypatch.setattr(store.vectors.chroma, "upsert", fails_once)
    embedder.go.set()
    until = time.monotonic() + 20
    while store.vectors.chroma.upsert is fails_once:
        assert time.monotonic() < until
        time.sleep(0.01)
    assert store.wait_indexed(20)
    assert meaning(store, ann, "walrus", 1) == [made.id]
    for owner in (ann, ben):
        memories, rows, elements = counts(store, owner)
        assert memories == 1
        assert rows == elements != set()


def test_a_vector_index_that_fails_keeps_no_memory_from_being_embedded(
    open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(owner: int, rows: Sequence[tuple[int, str, FloatArray]]) -> None:
        raise RuntimeError("no room")

    store = open_store()
    monkeypatch.setattr(store.vectors.chroma, "upsert", fails)
    owner = user(store, "ann")
    with store.write(owner) as unit:
        made = [unit.memories.create(draft(title=f"note{i}", body=f"walrus{i}")).id for i in range(indexer.TAKEN + 50)]
    until = time.monotonic() + 60
    while meaning(store, owner, "note0 walrus0", 1) != made[:1]:
        assert time.monotonic() < until, "the oldest is embedded last"
        time.sleep(0.05)
    monkeypatch.undo()
    assert store.wait_indexed(60)
    _, rows, elements = counts(store, owner)
    assert rows == elements


class Late(HashEmbedder):
    """A model that is not there at first."""

    missing = True
    asked = 0

    def query(self, text: str) -> np.ndarray:
        self.asked += 1
        if self.missing:
            raise RuntimeError("no model")
        return super().query(text)


def test_a_model_that_fails_to_load_is_tried_again(
    open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "WARM_AFTER", 0.05)
    monkeypatch.setattr(retry, "SECONDS", (0.1, 0.2))
    embedder = Late()
    store = open_store(embedder)
    wait_for(store, "degraded")
    assert store.state().error == "RuntimeError: no model"
    time.sleep(0.5)
    assert 2 <= embedder.asked <= 6
    embedder.missing = False
    wait_for(store, "ready")


def test_a_document_embedded_shows_that_the_model_is_there(
    open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "WARM_AFTER", 0.05)
    monkeypatch.setattr(retry, "SECONDS", (60.0, 60.0))
    store = open_store(Late())
    wait_for(store, "degraded")
    put(store, user(store, "ann"))
    wait_for(store, "ready")


def test_a_start_that_fails_is_tried_again_later_each_time(
    open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, tried = upkeep.begin, []

    def failing(store: Store) -> bool:
        tried.append(1)
        if len(tried) < 5:
            raise RuntimeError("cannot begin")
        return begin(store)

    monkeypatch.setattr(upkeep, "begin", failing)
    monkeypatch.setattr(retry, "SECONDS", (0.2, 30.0))
    store = open_store()
    owner = user(store, "ann")
    for i in range(50):  # each wakes the indexer
        put(store, owner, f"note {i}")
        time.sleep(0.01)
    assert 1 <= len(tried) <= 3
    assert store.state().error == "RuntimeError: cannot begin"
    assert store.wait_indexed(30)
    assert store.state().vectors == "ready"


def test_what_has_expired_goes(open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch) -> None:
    def kept(key: str, hours: float) -> None:
        with store.write(owner) as unit:
            unit.operations.add(
                agent="a", key=key, name="n", args_hash="h", answer="{}", now=datetime.now(UTC) - timedelta(hours=hours)
            )

    def keys() -> list[str]:
        with store.read(owner) as unit:
            return [row[0] for row in unit.driver.execute("SELECT key FROM operations")]

    store = open_store()
    owner = user(store, "ann")
    kept("old", 49)
    kept("new", 47)
    monkeypatch.setattr(indexer, "PURGE_EVERY", 0.1)
    store = open_store()
    until = time.monotonic() + 10
    while keys() != ["new"]:
        assert time.monotonic() < until
        time.sleep(0.02)
    kept("old again", 49)
    while keys() != ["new"]:
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize("other", [HashEmbedder(96), HashEmbedder(64, "another")])
def test_another_model_makes_the_vectors_anew(open_store: Callable[..., Store], other: HashEmbedder) -> None:
    store = open_store()
    owner = user(store, "ann")
    made = {put(store, owner, f"note number {i}").id for i in range(5)}
    assert store.wait_indexed(30)
    store = open_store(other)
    assert set(words(store, owner, "note")) == made
    put(store, owner, "walrus", "walrus")
    assert store.wait_indexed(30)
    until = time.monotonic() + 20
    while not store.vectors.whole:
        assert time.monotonic() < until
    assert len(meaning(store, owner, "note number 3")) == 6
    with store.read(owner) as unit:
        assert unit.driver.execute("SELECT DISTINCT model, length(vector) FROM vectors").fetchall() == [
            (other.model, other.dimension * 4)
        ]
    _, rows, elements = counts(store, owner)
    assert rows == elements
    assert [one.name for one in store.vectors.chroma._client.list_collections()] == [f"memories-u{owner}-g2"]


WRITER = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tallystick.store import Store
from tests.store.conftest import HashEmbedder, draft
class Slow(HashEmbedder):
    def documents(self, texts):
        time.sleep(0.001)
        return super().documents(texts)
store = Store.open(Path(sys.argv[1]), embedder=Slow())
with store.write(0) as unit:
    owner = unit.users.ensure("ann")
run, i = sys.argv[3], 0
while True:
    with store.write(owner) as unit:
        made = unit.memories.create(draft(f"note {run} {i}", "One thing. Another thing. " * 30))
    print("made", made.id, flush=True)
    if i % 3 == 2:
        with store.write(owner) as unit:
            unit.memories.update(made.id, {"title": f"edited {run} {i}"}, agent="a")
        print("edited", made.id, flush=True)
    if i % 5 == 4:
        with store.write(owner) as unit:
            unit.memories.erase(made.id)
        print("erased", made.id, flush=True)
    i += 1
"""


def test_kill_9_loses_nothing(home: Path, open_store: Callable[..., Store]) -> None:
    acknowledged: dict[str, str] = {}
    last: set[str] = set()
    root = Path(__file__).parents[2]
    env = {**os.environ, "PYTHONPATH": f"{root}:{SERVER}"}
    for run in range(4):
        arguments = [sys.executable, "-c", WRITER, str(home), str(root), str(run)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=env) as process:
            assert process.stdout is not None
            first = process.stdout.readline()
            time.sleep(random.uniform(0.3, 2.0))
            process.send_signal(signal.SIGKILL)
            told = [line.split() for line in (first + process.stdout.read()).splitlines(True) if line.endswith("\n")]
        assert process.returncode == -signal.SIGKILL
        acknowledged |= {memory_id: what for what, memory_id in told}
        last.add(told[-1][1])
    assert len(acknowledged) > 20
    store = open_store()
    owner = user(store, "ann")
    assert store.wait_indexed(60)
    until = time.monotonic() + 20
    while not store.vectors.whole:
        assert time.monotonic() < until
    with store.read(owner) as unit:
        titles = dict(
            unit.driver.execute("SELECT m.id, r.title FROM memories m JOIN revisions r USING (revision)").fetchall()
        )
        texts = {row[0] for row in unit.driver.execute("SELECT m.id FROM memory_texts t JOIN memories m USING (n)")}
        vectors = {row[0] for row in unit.driver.execute("SELECT DISTINCT memory_id FROM vectors")}
        for index in ("memory_words", "memory_trigrams"):
            assert unit.driver.execute("PRAGMA quick_check").fetchone() == ("ok",)
            hits = unit.driver.execute(f"SELECT count(*) FROM {index} WHERE {index} MATCH 'another'").fetchone()[0]
            assert hits == len(titles)
    # Of each run's last write the line may be missing: then the memory may be there, edited or gone, but never half.
    sure = {memory_id: what for memory_id, what in acknowledged.items() if memory_id not in last}
    assert {memory_id for memory_id, what in sure.items() if what != "erased"} <= set(titles)
    assert not {memory_id for memory_id, what in sure.items() if what == "erased"} & set(titles)
    assert all(
        titles[memory_id].startswith("edited") == (what == "edited")
        for memory_id, what in sure.items()
        if what != "erased"
    )
    assert texts == vectors == set(titles)
    assert len(set(titles) - set(acknowledged)) <= 4
    _, rows, elements = counts(store, owner)
    assert rows == elements
    assert set(meaning(store, owner, "note", 10_000)) == set(titles)
