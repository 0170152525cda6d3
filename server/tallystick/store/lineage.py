"""Merging: a memory written with other memories' revisions as parents supersedes those memories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, null, select, update

from .clock import to_text
from .errors import Conflict
from .prepared import Prepared
from .tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

memories = TABLES["memories"]
m = memories.c
CURRENT = Prepared(select(m.id, m.status).where(m.owner == bindparam("owner"), m.revision == bindparam("revision")))
SUPERSEDE = Prepared(
    update(memories)
    .where(m.owner == bindparam("owner"), m.id == bindparam("memory_id"))
    .values(status="superseded", superseded_by=bindparam("by"), updated=bindparam("at"))
)
FORGET = Prepared(
    update(memories)
    .where(m.owner == bindparam("owner"), m.superseded_by == bindparam("by"))
    .values(superseded_by=null())
)


def supersede(unit: Unit, by: str, parents: Sequence[str], at: datetime) -> None:
    """Mark the memories whose current revisions `parents` name as superseded by the memory `by`.

    Raises:
        Conflict: a parent is not the current revision of a memory of this owner, or that memory was merged before.
    """
    for parent in dict.fromkeys(parents):
        row = CURRENT.one(unit.driver, owner=unit.owner, revision=parent)
        if row is None or row[0] == by:
            raise Conflict(
                f"{parent} is not the current revision of a memory: read it again and merge what is there now."
            )
        if row[1] == "superseded":
            raise Conflict(f"{row[0]}, whose revision {parent} is, has been superseded already.")
        SUPERSEDE.do(unit.driver, owner=unit.owner, memory_id=row[0], by=by, at=to_text(at))
