"""The first recall of a conversation is told from later ones, and waits for no writer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from tallystick.store import Store

from .conftest import user


def mark(store: Store, owner: int, conversation_id: str = "nc-a") -> bool:
    with store.read(owner) as unit:
        return unit.conversations.mark(conversation_id)


def wait_written(store: Store) -> None:
    until = time.monotonic() + 10
    while store.marks._waiting:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_it_is_new_once(store: Store, owner: int) -> None:
    assert [mark(store, owner), mark(store, owner), mark(store, owner, "nc-b")] == [True, False, True]
    with store.write(owner) as unit:
        assert unit.conversations.mark("nc-c")
        assert not unit.conversations.mark("nc-c")
    assert mark(store, user(store, "bob"))


def test_it_outlives_a_restart(open_store: Callable[..., Store]) -> None:
    store = open_store()
    owner = user(store, "ann")
    assert mark(store, owner)
    assert not mark(open_store(), owner)


def test_recall_waits_for_no_writer(store: Store, owner: int) -> None:
    with store.write(owner):
        assert mark(store, owner)
        assert not mark(store, owner)
    wait_written(store)
    with store.read(owner) as unit:
        assert unit.driver.execute("SELECT owner, conversation_id FROM conversations").fetchall() == [(owner, "nc-a")]


def test_of_two_at_once_one_is_the_first(store: Store, owner: int) -> None:
    with store.read(owner) as one, store.read(owner) as other:
        other.facts.get()  # its snapshot begins here, before the mark
        assert one.conversations.mark("nc-a")
        assert not other.conversations.mark("nc-a")
        thread = threading.Thread(target=mark, args=(store, owner, "nc-b"))
        thread.start()
        thread.join()
        wait_written(store)
        assert not other.conversations.mark("nc-b"), "written since, which this snapshot cannot see"


def test_a_recall_that_failed_was_none(store: Store, owner: int) -> None:
    def fail() -> None:
        with store.read(owner) as unit:
            assert unit.conversations.mark("nc-a")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert mark(store, owner)


def test_what_was_erased_is_not_noted_later(store: Store, owner: int) -> None:
    with store.write(owner) as unit:
        assert mark(store, owner)
        unit.erase_owner()
    with store.write(0):
        pass
    assert mark(store, owner), "forgotten"
    with store.write(owner) as unit:
        unit.erase_owner()
    store.close()
    assert not store.marks._waiting
