"""A rebuild of everything that is derived, which somebody asks for: noted in the database and done by the indexer, a step at
a time. The truth is never touched: full text is made anew from the texts, the vector index from the vectors, and the pages
of the database are written anew, in which erased texts may have left copies.

Each step is one transaction that notes the steps left, so that one cut off by kill -9 is done again at the next start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import fulltext, gaps, meta, upkeep

if TYPE_CHECKING:
    from .prepared import Driver
    from .store import Store
    from .unit import Unit

PAGES = "pages"  # every page of the database is written anew
RENEWAL = "renewal"  # a new generation of the vector index is begun
VECTORS = "vectors"  # and filled; the indexer does this, and calls `finish`
STEPS = (*fulltext.INDEXES, PAGES, RENEWAL, VECTORS)


def ask(unit: Unit) -> bool:
    """Note that everything is to be rebuilt; False where that is going on already."""
    if left(unit.driver):
        return False
    meta.put(unit.driver, meta.REBUILD, " ".join(STEPS))
    unit.after_commit(unit.store.wake)
    return True


def left(driver: Driver) -> tuple[str, ...]:
    """The steps that are still to be taken, the one in hand first; none where no rebuild runs."""
    return tuple((meta.get(driver, meta.REBUILD) or "").split())


def step(store: Store) -> str | None:
    """Take the next step before VECTORS.

    A full-text index takes as long as all its texts take to be read, some 25 seconds for a million messages, and other writes
    wait for it: rows that triggers change while half of them are in the index would spoil it.

    Returns:
        The step; None where there was none to take.
    """
    with store.read(0) as unit:
        steps = left(unit.driver)
    if not steps or steps[0] == VECTORS:
        return None
    if steps[0] == PAGES:
        gaps.write_anew(store)  # no transaction can hold it
    with store.write(0) as unit:
        if steps[0] == RENEWAL:
            upkeep.renew(unit)
        elif steps[0] != PAGES:
            fulltext.rebuild(unit.driver, steps[0])
        meta.put(unit.driver, meta.REBUILD, " ".join(steps[1:]))
    return steps[0]


def finish(store: Store) -> None:
    """The vector index is filled: where a rebuild waited for that, it is done."""
    with store.write(0) as unit:
        if left(unit.driver) == (VECTORS,):
            meta.put(unit.driver, meta.REBUILD, "")
