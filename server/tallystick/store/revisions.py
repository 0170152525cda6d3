"""Revisions: every state a memory had. A revision's name is the hash of memory id, parents and content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select, tuple_

from .clock import from_text, to_text
from .prepared import Driver, Prepared, Row, inserting
from .records import RevisionRecord
from .tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

revisions = TABLES["revisions"]
r = revisions.c
_COLUMNS = select(
    r.memory_id, r.revision, r.parents, r.title, r.summary, r.body, r.fields, r.agent, r.author, r.created
).where(r.owner == bindparam("owner"), r.memory_id == bindparam("memory_id"))
ADD = inserting(revisions, "n")


class Revisions:
    """Earlier and present states of the owner's memories."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    def page(self, memory_id: str, limit: int, after: tuple[datetime, str] | None = None) -> list[RevisionRecord]:
        """States of a memory, newest first; `after` is (created, revision) of the last one already had."""
        values: dict[str, Any] = {"owner": self._unit.owner, "memory_id": memory_id, "limit": limit}
        if after is not None:
            values |= {"created": to_text(after[0]), "revision": after[1]}
        return [_record(row) for row in _page(after is not None).all(self._unit.driver, **values)]


@lru_cache
def _page(after: bool) -> Prepared:
    statement = _COLUMNS.order_by(r.created.desc(), r.revision.desc()).limit(bindparam("limit"))
    if after:
        statement = statement.where(tuple_(r.created, r.revision) < tuple_(bindparam("created"), bindparam("revision")))
    return Prepared(statement)


def keep(
    driver: Driver, owner: int, memory_id: str, revision: str, parents: Sequence[str], agent: str,
    fields: Mapping[str, Any], text: Mapping[str, str], created: str,
) -> None:  # fmt: skip
    """Keep a state of a memory: `text` is its title, summary and body, `fields` what it holds beside them."""
    ADD.do(
        driver, memory_id=memory_id, owner=owner, revision=revision, agent=agent, created=created,
        parents=json.dumps(list(parents)), author=fields["author"], fields=json.dumps(fields, ensure_ascii=False), **text,
    )  # fmt: skip


def name(memory_id: str, parents: Sequence[str], content: Mapping[str, Any]) -> str:
    """The name of a revision: the first 32 hex digits of the sha256 of its memory, parents and content."""
    text = json.dumps([memory_id, list(parents), content], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _record(row: Row) -> RevisionRecord:
    parents, fields = tuple(json.loads(row[2])), json.loads(row[6])
    return RevisionRecord(row[0], row[1], parents, row[3], row[4], row[5], fields, row[7], row[8], from_text(row[9]))
