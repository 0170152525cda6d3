"""Units of work: whole or not at all, snapshots, turns, bounded waits."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable

import pytest
from tallystick.store import Store, StoreBusy, engine

from .conftest import count, draft, put


def test_an_exception_undoes_everything(store: Store, owner: int) -> None:
    called: list[str] = []

    def fail() -> None:
        with store.write(owner) as unit:
            unit.after_commit(lambda: called.append("committed"))
            unit.facts.put({"a": 1})
            unit.memories.create(draft())
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with store.read(owner) as unit:
        assert unit.facts.get() == {}
        assert count(unit, status="all") == 0
    assert called == []
    put(store, owner)


def test_a_failing_call_after_the_commit_is_not_the_callers(store: Store, owner: int) -> None:
    done: list[str] = []

    def fail() -> None:
        raise RuntimeError

    with store.write(owner) as unit:
        unit.facts.put({"a": 1})
        unit.after_commit(fail)
        unit.after_commit(lambda: done.append("second"))
    assert done == ["second"]


def test_a_snapshot_stays_as_it_was_and_cannot_write(store: Store, owner: int) -> None:
    put(store, owner)
    with store.read(owner) as unit:
        assert count(unit) == 1
        put(store, owner)
        assert count(unit) == 1
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            unit.facts.put({"a": 1})
    with store.read(owner) as unit:
        assert count(unit) == 2


def test_no_increment_is_lost(store: Store, owner: int) -> None:
    def add() -> None:
        for _ in range(50):
            with store.write(owner) as unit:
                unit.facts.put({"n": unit.facts.get().get("n", 0) + 1})

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.read(owner) as unit:
        assert unit.facts.get() == {"n": 200}


def test_waiting_for_a_turn_is_bounded_and_reads_go_on(open_store: Callable[..., Store]) -> None:
    store = open_store(busy_seconds=0.2)
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with store.write(1):
            inside.set()
            leave.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    inside.wait(10)
    with pytest.raises(StoreBusy), store.write(1):
        pass
    assert holder.is_alive(), "it did not wait for the other to leave"
    with store.read(1) as unit:
        assert count(unit) == 0
    leave.set()
    holder.join()
    with store.write(1) as unit:
        unit.facts.put({})


def test_a_query_is_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "QUERY_SECONDS", 0.2)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(StoreBusy), store.read(0) as unit:
        unit.driver.execute(endless).fetchone()
    with store.read(0) as unit:
        assert unit.driver.execute("SELECT 1").fetchone() == (1,)


def test_a_snapshot_that_lost_its_transaction_ends_in_order(store: Store, owner: int) -> None:
    with store.read(owner) as unit:
        unit.driver.execute("ROLLBACK")  # as SQLite does by itself where the disk fails
    with pytest.raises(sqlite3.OperationalError, match="no such table"), store.read(owner) as unit:
        unit.driver.execute("ROLLBACK").execute("SELECT * FROM missing")
    with store.read(owner) as unit:
        assert count(unit) == 0


def test_a_snapshot_that_cannot_begin_leaves_no_channel_behind(store: Store, owner: int) -> None:
    channel = store._engines.reading()
    channel.driver.execute("BEGIN")
    store._engines._readers.append(channel)
    with pytest.raises(sqlite3.OperationalError, match="within a transaction"), store.read(owner):
        pass
    assert channel in store._engines._readers, "given back, and fit for use again"
    with store.read(owner) as unit:
        assert unit.driver is channel.driver
    channel = store._engines.reading()
    channel.driver.execute("BEGIN")
    store._engines.give_back(channel)
    assert channel not in store._engines._readers, "one that is stuck is closed"


def test_calls_after_a_rollback(store: Store, owner: int) -> None:
    called: list[str] = []

    def work(name: str, fails: bool) -> None:
        with getattr(store, name)(owner) as unit:
            unit.after_rollback(lambda: called.append(name))
            if fails:
                raise RuntimeError

    for name in ("read", "write"):
        work(name, False)
        with pytest.raises(RuntimeError):
            work(name, True)
    assert called == ["read", "write"]


def test_pragmas(store: Store) -> None:
    with store.write(0) as writing, store.read(0) as reading:
        for unit in (writing, reading):
            found = {
                name: unit.driver.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "cache_size")
            }
            assert found == {
                "journal_mode": "wal",
                "synchronous": 1,
                "foreign_keys": 1,
                "secure_delete": 1,
                "cache_size": -65536 if unit is writing else -16384,
            }
        assert reading.connection.exec_driver_sql("SELECT count(*) FROM personas").scalar_one() == 3


def test_durability_is_a_setting(open_store: Callable[..., Store]) -> None:
    with open_store(durability="full").write(0) as unit:
        assert unit.driver.execute("PRAGMA synchronous").fetchone()[0] == 2
