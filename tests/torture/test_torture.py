"""The loop of `make torture`, short and with the real model; and that it sees what is wrong."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tallystick_client import Tallystick

from tests.store.conftest import HashEmbedder
from tests.torture import served, stored
from tests.torture.keeper import Keeper
from tests.torture.leaks import leave
from tests.torture.ledger import Kept, Ledger
from tests.torture.loop import settled, torture
from tests.torture.person import Person
from tests.torture.report import Report, Sort
from tests.torture.writers import Program


def test_killed_servers_lose_nothing_they_acknowledged(tmp_path: Path) -> None:
    report = torture(tmp_path, kills=4, writes=160, seed=1, cheap=False, sample=20, say=print)
    assert report.sound, str(report)
    assert report.verdict() == "0 lost, 0 stale, indexes agree"


@pytest.mark.skipif(sys.platform != "linux", reason="what is left is looked for in /proc")
def test_bridges_leave_nothing_behind(tmp_path: Path) -> None:
    report = leave(tmp_path, bridges=20, seed=1, cheap=False, say=print)
    assert report.sound, str(report)


def test_it_sees_what_is_wrong(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path / "home", cheap=True)
    try:
        keeper.start()
        owner = keeper.wait()
        with Tallystick(owner.url, owner.token) as client:
            key = client.keys.create_key(agent="a", user="ann", scopes=["all"]).key or ""
        ledger = Ledger(0, 3, tools=False)
        writer = Program(ledger, keeper.home, key)
        for _ in range(60):
            writer.write()
        writer.end()
        settled(owner, keeper.home)
        assert logged_faults(keeper.home, ledger) == set()
        with Tallystick(owner.url, key) as client:
            client.memories.search_memories(query=min(ledger.forgotten))
            assert logged_faults(keeper.home, ledger) == {"stale"}
            assert served_faults(client, ledger) == set()
            for break_it, sorts in BREAKS:
                broken = deepcopy(ledger)
                break_it(broken)
                assert served_faults(client, broken) == sorts, break_it
        keeper.stop()
    finally:
        keeper.close()
    assert stored_faults(keeper.home, ledger) == set()
    ledger.done["edit_memory"] += 1
    assert stored_faults(keeper.home, ledger) == {"lost"}
    ledger.done["edit_memory"] -= 2
    assert stored_faults(keeper.home, ledger) == {"doubled"}
    ledger.done["edit_memory"] += 1
    with sqlite3.connect(keeper.home / "tallystick.db") as database:
        database.execute("INSERT INTO memory_words (memory_words, rowid, title) VALUES ('delete', 1, 'w0n1q7')")
    database.close()
    assert stored_faults(keeper.home, ledger) == {"index"}


def forgets_a_memory(ledger: Ledger) -> None:
    """As if nobody had asked for one that is there."""
    ledger.memories.popitem()


def expects_a_memory(ledger: Ledger) -> None:
    """As if one that is not there had been acknowledged."""
    ledger.memories["mem_nowhere"] = Kept("title", "summary", "body", (), "summary", "revision")


def expects_another_text(ledger: Ledger) -> None:
    """As if an edit had been acknowledged that is not there."""
    memory_id, kept = ledger.memories.popitem()
    ledger.memories[memory_id] = replace(kept, body=f"{kept.body} And more.")


def expects_it_erased(ledger: Ledger) -> None:
    """As if an erasing had been acknowledged that was not done."""
    memory_id, _ = ledger.memories.popitem()
    ledger.erased.add(memory_id)


def expects_a_message(ledger: Ledger) -> None:
    """As if one message more had been acknowledged."""
    next(iter(ledger.talks.values())).messages["msg-nowhere"] = "Nobody said this."


def expects_a_fact(ledger: Ledger) -> None:
    """As if a fact had been acknowledged that is not there."""
    assert ledger.facts is not None
    ledger.facts["nowhere"] = "somewhere"


BREAKS: list[tuple[Callable[[Ledger], None], set[Sort]]] = [
    (forgets_a_memory, {"doubled", "stale"}),
    (expects_a_memory, {"lost"}),
    (expects_another_text, {"stale"}),
    (expects_it_erased, {"stale"}),
    (expects_a_message, {"lost", "stale"}),
    (expects_a_fact, {"stale"}),
]


def served_faults(client: Tallystick, ledger: Ledger) -> set[Sort]:
    report = Report()
    served.check(client, Person("ann", None, [ledger]), 5, Random(1), report)
    return {sort for sort, found in report.faults.items() if found}


def stored_faults(home: Path, ledger: Ledger) -> set[Sort]:
    report = Report()
    stored.check(home, [Person("ann", None, [ledger])], HashEmbedder(), 5, Random(1), report)
    return {sort for sort, found in report.faults.items() if found}


def logged_faults(home: Path, ledger: Ledger) -> set[Sort]:
    report = Report()
    stored.check_logs(home, [Person("ann", None, [ledger])], report)
    return {sort for sort, found in report.faults.items() if found}
