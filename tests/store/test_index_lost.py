"""A vector index that is lost, damaged or full of what was deleted is made anew."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tallystick.store import Store, indexer, upkeep

from .conftest import draft, meaning, put, user
from .test_indexing import counts, wait_for


def test_chroma_may_be_thrown_away(open_store: Callable[..., Store], home: Path) -> None:
    store = open_store()
    owner = user(store, "ann")
    for i in range(20):
        put(store, owner, f"note {i}")
    assert store.wait_indexed(30)
    store.close()
    shutil.rmtree(home / "chroma")
    store = open_store()
    until = time.monotonic() + 20
    while not store.vectors.whole:
        assert len(meaning(store, owner, "note 7")) == 20, "found meanwhile"
        assert time.monotonic() < until
    _, rows, elements = counts(store, owner)
    assert rows == elements
    assert store.vectors.chroma.folder.stat().st_mode & 0o777 == 0o700


def test_chroma_may_be_thrown_away_while_it_is_open(open_store: Callable[..., Store], home: Path) -> None:
    store = open_store()
    owner = user(store, "ann")
    for i in range(20):
        put(store, owner, f"note {i}")
    assert store.wait_indexed(30)
    shutil.rmtree(home / "chroma")
    late = put(store, owner, "walrus")
    wait_for(store, "ready")
    assert meaning(store, owner, "walrus", 1) == [late.id]
    assert store.vectors.whole
    _, rows, elements = counts(store, owner)
    assert rows == elements
    assert len(rows) >= 21


def test_a_damaged_vector_index_is_moved_aside(open_store: Callable[..., Store], home: Path) -> None:
    """One that would take the process along when it is opened."""
    store = open_store()
    owner = user(store, "ann")
    with store.write(owner) as unit:
        made = [unit.memories.create(draft(title=f"note {i}", body=f"walrus number {i}")).id for i in range(700)]
    assert store.wait_indexed(60)
    store.close()
    headers = list((home / "chroma").glob("*/header.bin"))
    assert headers
    for header in headers:
        header.write_bytes(b"\xff" * header.stat().st_size)
    with closing(sqlite3.connect(home / "tallystick.db", isolation_level=None)) as database:  # as a kill leaves it
        database.execute("UPDATE meta SET value = '1' WHERE name = 'index.unclean'")
    store = open_store()
    assert made[7] in meaning(store, owner, "note 7")[:3], "found meanwhile"
    until = time.monotonic() + 60
    while not store.vectors.whole:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert (home / "chroma.damaged").is_dir()
    _, rows, elements = counts(store, owner)
    assert rows == elements


def test_what_was_deleted_is_cleared_away(open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "LEAST", 100)
    monkeypatch.setattr(indexer, "PURGE_EVERY", 0.2)
    store = open_store()
    owner = user(store, "ann")
    with store.write(owner) as unit:
        made = [unit.memories.create(draft(title=f"note {i}", body=f"walrus number {i}")).id for i in range(700)]
    assert store.wait_indexed(60)
    chroma = store.vectors.chroma
    assert chroma.elements() > 1000
    with store.write(owner) as unit:
        for memory_id in made:
            unit.memories.update(memory_id, {"title": f"other {memory_id}"}, agent="a")
    assert store.wait_indexed(60)
    until = time.monotonic() + 60
    rows: set[int] = set()
    while chroma.generation == 1 or not store.vectors.whole or chroma.elements() > upkeep.BLOAT * len(rows):
        assert time.monotonic() < until
        time.sleep(0.05)
        _, rows, elements = counts(store, owner)
    assert rows == elements
    generation = chroma.generation
    time.sleep(0.5)
    assert chroma.generation == generation, "done is done"
