"""Merging: a memory written with other memories' revisions as parents supersedes those memories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, null, select, update

from .errors import Conflict
from .prepared import Prepared
from .tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

memories = TABLES["memories"]
m = memories.c
CURRENT = Prepared(select(m.id, m.status).where(m.owner == bindparam("owner"), m.revision == bindparam("revision")))
SUPERSEDED_BY = Prepared(
    update(memories)
    .where(m.owner == bindparam("owner"), m.id == bindparam("memory_id"))
    .values(superseded_by=bindparam("by"))
)
FORGET = Prepared(
    update(memories)
    .where(m.owner == bindparam("owner"), m.superseded_by == bindparam("by"))
    .values(superseded_by=null())
)


def supersede(unit: Unit, by: str, parents: Sequence[str], agent: str, at: datetime, *, in_force: bool) -> None:
    """Have the memories whose current revisions `parents` name superseded by the memory `by`, each in a new revision.

    Args:
        unit: a transaction.
        by: the memory that takes them in.
        parents: current revisions of other memories.
        agent: who merges them.
        at: when.
        in_force: whether the memory that takes them in is active and waits for no review.

    Raises:
        Conflict: a parent is not the current revision of a memory of this owner, that memory was merged before, or the one
            that takes them in is not in force, so that what they hold would be found nowhere.
    """
    if parents and not in_force:
        raise Conflict("A memory that is archived, superseded or pending cannot take others in; make it active first.")
    for parent in dict.fromkeys(parents):
        row = CURRENT.one(unit.driver, owner=unit.owner, revision=parent)
        if row is None or row[0] == by:
            raise Conflict(
                f"{parent} is not the current revision of a memory: read it again and merge what is there now."
            )
        if row[1] == "superseded":
            raise Conflict(f"{row[0]}, whose revision {parent} is, has been superseded already.")
        unit.memories.update(row[0], {"status": "superseded"}, agent=agent, now=at)
        SUPERSEDED_BY.do(unit.driver, owner=unit.owner, memory_id=row[0], by=by)
