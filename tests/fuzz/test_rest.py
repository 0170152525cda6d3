"""The server keeps its contract, whoever calls. `make fuzz` is the same with a thousand cases an operation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tallystick_contract.operations import OPERATIONS

from tests.live import Live

from .caller import EVERYTHING, NOTHING, READING, Caller
from .campaign import ENDS_IT_ALL, Effort, attack, links
from .target import target

EFFORT = Effort(examples=5, scenarios=20, walks=8)
LITTLE = Effort(examples=2, scenarios=5, walks=0)


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with target(tmp_path_factory.mktemp("fuzzed")) as live, live:
        yield live


def test_a_key_with_every_scope(fuzzed: Live, tmp_path: Path) -> None:
    tally = attack(fuzzed, Caller(fuzzed, "full", EVERYTHING), EFFORT, tmp_path)
    assert not tally.failures, tally.report()
    assert {op.name for op in OPERATIONS} - tally.succeeded.keys() == {ENDS_IT_ALL}
    assert links() - tally.followed == set()
    assert tally.scenarios >= EFFORT.scenarios


def test_the_end_of_a_users_records(fuzzed: Live, tmp_path: Path) -> None:
    caller = Caller(fuzzed, "erasing", EVERYTHING)
    tally = attack(fuzzed, caller, LITTLE, tmp_path, only=ENDS_IT_ALL)
    assert not tally.failures, tally.report()
    assert tally.succeeded[ENDS_IT_ALL]


def test_a_key_that_reads(fuzzed: Live, tmp_path: Path) -> None:
    caller = Caller(fuzzed, "reading", READING)
    before = caller.records(fuzzed)
    tally = attack(fuzzed, caller, LITTLE, tmp_path)
    assert not tally.failures, tally.report()
    assert tally.succeeded.keys() == {op.name for op in OPERATIONS if READING.issuperset(op.scopes)}
    assert caller.records(fuzzed) == before


def test_without_a_key(fuzzed: Live, tmp_path: Path) -> None:
    caller = Caller(fuzzed, "none", NOTHING)
    before = caller.records(fuzzed)
    tally = attack(fuzzed, caller, LITTLE, tmp_path)
    assert not tally.failures, tally.report()
    assert tally.succeeded.keys() == {op.name for op in OPERATIONS if op.public}
    assert caller.records(fuzzed) == before
