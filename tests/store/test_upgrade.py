"""A database of an earlier version is copied, then brought up to date in its place."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from tallystick.store import Store, StoreUnusable, migrate

from .conftest import meaning, put, user, words
from .talk import find, get, session, sound


def old_home(home: Path, open_store: Callable[..., Store]) -> tuple[int, list[str]]:
    """A home as version 0001 left it: a new one, its later tables taken away."""
    store = open_store()
    owner = user(store, "ann")
    made = [put(store, owner, *text, session="nat", covered=["m0"]).id for text in [("walrus", "tusks")] * 2]
    assert store.wait_indexed(30)
    store.close()
    with sqlite3.connect(home / "tallystick.db") as connection:
        for sort, name in connection.execute("SELECT type, name FROM sqlite_master ORDER BY type = 'table'").fetchall():
            later = (
                "sessions",
                "messages",
                "session_links",
                "coverage",
                "leases",
                "alike",
                "session_vectors",
                "session_outbox",
                "sent_writes",
                "memory_issues",
            )
            if name in (*later, "message_words", "message_texts", "ix_memories_session"):
                connection.execute(f"DROP {sort} IF EXISTS {name}")
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    connection.close()
    return owner, made


def schema(database: Path) -> set[tuple[str, str | None]]:
    with sqlite3.connect(database) as connection:
        found = set(connection.execute("SELECT name, sql FROM sqlite_master").fetchall())
    connection.close()
    return found


def test_in_place_with_a_copy(home: Path, open_store: Callable[..., Store]) -> None:
    owner, made = old_home(home, open_store)
    before = (home / "tallystick.db").read_bytes()
    old = schema(home / "tallystick.db")
    store = open_store()
    (name,) = store.backups()
    copy = home / "backups" / name
    assert name.endswith("Z-0001.db")
    assert schema(copy) == old != schema(home / "tallystick.db")
    assert len(copy.read_bytes()) == len(before)
    assert oct(copy.stat().st_mode & 0o777) == "0o600"
    assert oct(copy.parent.stat().st_mode & 0o777) == "0o700"
    with sqlite3.connect(copy) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert [row[0] for row in connection.execute("SELECT id FROM memories ORDER BY id")] == made
    connection.close()
    assert set(words(store, owner, "walrus")) == set(made)
    assert store.wait_indexed(30)
    assert set(meaning(store, owner, "walrus tusks")) == set(made)
    with store.read(owner) as unit:
        assert [task.memories for task in unit.tasks.list()] == [tuple(made)], "memories of before are compared too"
    one = session(store, owner, "walrus", "two", native_id="nat")
    assert get(store, owner, one.id).uncovered == 1
    assert find(store, owner, "walrus").total == 3
    sound(store)
    assert open_store().backups() == [name], "nothing to do the next time"


def test_a_new_database_needs_no_copy(store: Store) -> None:
    assert store.backups() == []


def test_no_copy_no_change(home: Path, open_store: Callable[..., Store]) -> None:
    old_home(home, open_store)
    (home / "backups").write_text("in the way")
    before = (home / "tallystick.db").read_bytes()
    with pytest.raises(StoreUnusable, match="backup"):
        open_store()
    assert (home / "tallystick.db").read_bytes() == before


def test_a_failing_step_undoes_all(home: Path, open_store: Callable[..., Store]) -> None:
    old_home(home, open_store)
    with sqlite3.connect(home / "tallystick.db") as connection:
        connection.execute("CREATE TABLE leases (x)")  # in the way of a late step
    connection.close()
    before = schema(home / "tallystick.db")
    with pytest.raises(Exception, match="leases"):
        open_store()
    assert schema(home / "tallystick.db") == before
    assert len(list((home / "backups").iterdir())) == 1


def test_the_copy_holds_what_is_still_in_the_log(tmp_path: Path) -> None:
    source = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    source.executescript("PRAGMA journal_mode=WAL; CREATE TABLE t (x); INSERT INTO t VALUES (7);")
    copy = migrate.back_up(source, tmp_path / "backups", "0001")
    source.close()
    engine = create_engine(f"sqlite:///{copy}")
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT x FROM t").scalar_one() == 7
    engine.dispose()
    assert [path.name for path in copy.parent.iterdir()] == [copy.name]
