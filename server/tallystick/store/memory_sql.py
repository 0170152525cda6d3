"""The statements about memories, built once a shape of filter and kept compiled."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Integer, Select, bindparam, delete, func, literal_column, select, true, tuple_, update

from .clock import from_text, to_text
from .conditions import Shape, conditions, values
from .prepared import Driver, Prepared, Row, inserting
from .records import Filter, MemoryRecord
from .tables import TABLES

memories, revisions, tags = TABLES["memories"], TABLES["revisions"], TABLES["memory_tags"]
issues = TABLES["memory_issues"]
m, r = memories.c, revisions.c
# The plus keeps the planner off the indexes that begin with owner where ids are given: it would walk all of an owner's rows.
OWNED = literal_column("+memories.owner", Integer) == bindparam("owner")

ADD = inserting(memories, "n")
TAKEN = Prepared(select(m.n).where(m.id == bindparam("id")))
_changed = [c.name for c in m if c.name not in ("n", "id", "owner", "agent", "created")]
CHANGE = Prepared(
    update(memories)
    .where(m.id == bindparam("id"), m.owner == bindparam("owner"))
    .values({name: bindparam(name) for name in _changed})
)
ADD_TAG = inserting(tags)
_tagged = literal_column("+memory_tags.owner", Integer) == bindparam("owner")
DROP_TAGS = Prepared(delete(tags).where(_tagged, tags.c.memory_id == bindparam("memory_id")))
ADD_ISSUE = inserting(issues)
_linked = literal_column("+memory_issues.owner", Integer) == bindparam("owner")
DROP_ISSUES = Prepared(delete(issues).where(_linked, issues.c.memory_id == bindparam("memory_id")))
OF_ISSUE = Prepared(
    select(issues.c.memory_id)
    .where(issues.c.owner == bindparam("owner"), issues.c.issue_id == bindparam("issue_id"))
    .order_by(issues.c.memory_id.desc())
)
MANY = 256


def _record_columns(cut: bool) -> Select[Any]:
    body = func.substr(r.body, 1, bindparam("body_chars")) if cut else r.body
    return select(
        m.id, m.revision, m.kind, r.title, r.summary, body, m.body_length, m.tags, m.status, m.pending, m.agent, m.author,
        m.persona, m.session, m.conversation_id, m.evidence, m.covered, r.parents, m.billable, m.company_client,
        m.client_project, m.artifact_url, m.user_query, m.linear_issues, m.superseded_by, m.created, m.updated,
    ).select_from(memories.join(revisions, (r.memory_id == m.id) & (r.revision == m.revision)))  # fmt: skip


ONE = Prepared(_record_columns(False).where(m.id == bindparam("id"), OWNED))


def record(row: Row) -> MemoryRecord:
    """A row of the columns above as a record."""
    return MemoryRecord._make(
        (
            *row[:7], _list(row[7]), row[8], row[9] == 1, *row[10:15], _list(row[15]), _list(row[16]), _list(row[17]),
            None if row[18] is None else row[18] == 1, *row[19:23], _list(row[23]), row[24], from_text(row[25]),
            from_text(row[26]),
        )
    )  # fmt: skip


def _list(text: str) -> tuple[Any, ...]:
    return () if text == "[]" else tuple(json.loads(text))


def many(driver: Driver, owner: int, memory_ids: Sequence[str], body_chars: int | None) -> dict[str, MemoryRecord]:
    """The memories of those ids, by id."""
    given: dict[str, Any] = {"owner": owner}
    if body_chars is not None:
        given["body_chars"] = body_chars
    found = {}
    for start in range(0, len(memory_ids), MANY):
        size, chosen = _padded(memory_ids[start : start + MANY])
        for row in _many(size, body_chars is not None).all(driver, **given, **chosen):
            found[row[0]] = record(row)
    return found


def page(
    driver: Driver, owner: int, where: Filter, limit: int, after: tuple[datetime, str] | None, body_chars: int | None
) -> list[MemoryRecord]:
    """See Memories.page."""
    shape, given = values(where, owner)
    given["limit"] = limit
    if after is not None:
        given |= {"after_created": to_text(after[0]), "after_id": after[1]}
    if body_chars is not None:
        given["body_chars"] = body_chars
    rows = _page(shape, after is not None, body_chars is not None).all(driver, **given)
    return [record(row) for row in rows]


def passing(driver: Driver, owner: int, memory_ids: Sequence[str], where: Filter) -> set[str]:
    """Those of some memories that `where` lets pass."""
    shape, given = values(where, owner)
    found: set[str] = set()
    for start in range(0, len(memory_ids), MANY):
        size, chosen = _padded(memory_ids[start : start + MANY])
        found.update(row[0] for row in _passing(shape, size).all(driver, **given, **chosen))
    return found


def numbers(driver: Driver, owner: int, memory_ids: Sequence[str]) -> list[tuple[str, int]]:
    """(id, row number in the full-text index) of those memories."""
    if not memory_ids:
        return []
    size, chosen = _padded(memory_ids[:MANY])
    return [(row[0], row[1]) for row in _numbers(size).all(driver, owner=owner, **chosen)]


def count(driver: Driver, owner: int, where: Filter) -> int:
    """How many memories pass."""
    shape, given = values(where, owner)
    number: int = _count(shape).value(driver, **given)
    return number


def every(driver: Driver, owner: int, where: Filter, limit: int) -> list[str]:
    """Ids of up to `limit` memories that pass, in no order."""
    shape, given = values(where, owner)
    return [row[0] for row in _every(shape).all(driver, limit=limit, **given)]


def add_tags(driver: Driver, owner: int, memory_id: str, names: Sequence[str]) -> None:
    """Note the tags, each named once, of a memory that has none."""
    for name in names:
        ADD_TAG.do(driver, owner=owner, tag=name, memory_id=memory_id)


def drop_tags(driver: Driver, owner: int, memory_id: str) -> None:
    """Forget the tags of a memory."""
    DROP_TAGS.do(driver, owner=owner, memory_id=memory_id)


def add_issues(driver: Driver, owner: int, memory_id: str, links: Sequence[Any]) -> None:
    """Note which Linear issues a memory is linked to that has no note of any."""
    for issue_id in dict.fromkeys(link["issue_id"] for link in links):
        ADD_ISSUE.do(driver, owner=owner, issue_id=issue_id, memory_id=memory_id)


def of_issues(driver: Driver, owner: int, issue_ids: Sequence[str]) -> list[str]:
    """Ids of the memories that are linked to any of some issues, the newest ids first."""
    found = {row[0] for issue_id in issue_ids for row in OF_ISSUE.all(driver, owner=owner, issue_id=issue_id)}
    return sorted(found, reverse=True)


def _padded(ids: Sequence[str]) -> tuple[int, dict[str, str]]:
    # Sizes are powers of two, so that few statements serve all; what is too much repeats the last id.
    size = 1 << (len(ids) - 1).bit_length()
    return size, {f"id_{i}": ids[min(i, len(ids) - 1)] for i in range(size)}


@lru_cache(maxsize=64)
def _many(size: int, cut: bool) -> Prepared:
    return Prepared(_record_columns(cut).where(OWNED, m.id.in_(_ids(size))))


@lru_cache(maxsize=256)
def _page(shape: Shape, after: bool, cut: bool) -> Prepared:
    older = tuple_(m.created, m.id) < tuple_(bindparam("after_created"), bindparam("after_id")) if after else true()
    statement = _record_columns(cut).where(m.owner == bindparam("owner"), older, *conditions(shape))
    return Prepared(statement.order_by(m.created.desc(), m.id.desc()).limit(bindparam("limit")))


@lru_cache(maxsize=256)
def _passing(shape: Shape, size: int) -> Prepared:
    return Prepared(select(m.id).where(OWNED, m.id.in_(_ids(size)), *conditions(shape)))


@lru_cache(maxsize=16)
def _numbers(size: int) -> Prepared:
    return Prepared(select(m.id, m.n).where(OWNED, m.id.in_(_ids(size))))


@lru_cache(maxsize=128)
def _count(shape: Shape) -> Prepared:
    return Prepared(select(func.count()).select_from(memories).where(m.owner == bindparam("owner"), *conditions(shape)))


@lru_cache(maxsize=128)
def _every(shape: Shape) -> Prepared:
    return Prepared(select(m.id).where(m.owner == bindparam("owner"), *conditions(shape)).limit(bindparam("limit")))


def _ids(size: int) -> list[Any]:
    return [bindparam(f"id_{i}") for i in range(size)]
