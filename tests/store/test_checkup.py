"""What `tallystick doctor` is told about the files of a home."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tallystick.store import Store
from tallystick.store.checkup import DatabaseReport, InUse, VectorsReport, look_at_database, look_at_vectors

from .conftest import put, user


def test_a_home_that_is_not_made(home: Path) -> None:
    assert look_at_database(home) is None
    assert look_at_vectors(home) is None
    assert not home.exists()


def test_a_home_in_order(open_store: Callable[..., Store], home: Path) -> None:
    store = open_store()
    owner = user(store, "ann")
    for title in ("one", "two"):
        put(store, owner, title)
    assert store.wait_indexed(30)
    found = look_at_database(home)
    assert found is not None
    assert (found.fault, found.memories, found.behind) == (None, 2, 0)
    with pytest.raises(InUse):
        look_at_vectors(home)
    with store.read(owner) as unit:
        vectors = unit.driver.execute("SELECT count(*) FROM vectors").fetchone()[0]
    store.close()
    before = {path: path.read_bytes() for path in home.rglob("*.db")}
    assert look_at_vectors(home) == VectorsReport(None, 1, vectors)
    assert look_at_database(home) == DatabaseReport(None, (home / "tallystick.db").stat().st_size, 2, 0)
    assert {path: path.read_bytes() for path in home.rglob("*.db")} == before


def test_damaged_files_are_told(open_store: Callable[..., Store], home: Path) -> None:
    store = open_store()
    put(store, user(store, "ann"))
    assert store.wait_indexed(30)
    store.close()
    database = home / "tallystick.db"
    database.write_bytes(b"SQLite format 3\x00" + b"\xff" * 8192)
    found = look_at_database(home)
    assert found is not None
    assert found.fault is not None
    shutil.rmtree(home / "chroma")
    (home / "chroma").mkdir()
    (home / "chroma" / "chroma.sqlite3").write_bytes(b"no database at all" * 100)
    broken = look_at_vectors(home)
    assert broken is not None
    assert broken.fault is not None
    assert "ends a process with" in broken.fault
