"""The texts that memories are found by: folded, kept beside them for the indexes, and asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Select, and_, bindparam, delete, select, tuple_, update

from . import memory_sql
from .clock import to_text
from .conditions import Shape, conditions, values
from .fulltext import hits
from .memory_sql import TAKEN
from .prepared import Driver, Prepared, inserting
from .records import Filter, MemoryRecord
from .tables import TABLES
from .text import dates_in, fold, in_words, scope, words_of
from .words import expression, pieces

BEFORE = 2  # memories of the same conversation whose titles are the context of the next
CONTEXT_CHARS = 500
COLUMNS = ("scope", "date", "title", "context", "body", "literal")
# The fields of a memory that its texts are made of, beside those that never change.
TOLD = ("title", "summary", "body", "user_query", "tags", "conversation_id", "company_client", "client_project")

memories, revisions, texts = TABLES["memories"], TABLES["revisions"], TABLES["memory_texts"]
m, r = memories.c, revisions.c
ADD = inserting(texts)
TEXTS = Prepared(select(*(texts.c[name] for name in COLUMNS)).where(texts.c.n == bindparam("number")))
LITERAL = Prepared(select(texts.c.literal).where(texts.c.n == bindparam("number")))
REMOVE = Prepared(delete(texts).where(texts.c.n == bindparam("number")))
_here = and_(m.owner == bindparam("owner"), m.conversation_id == bindparam("conversation_id"))
_place = tuple_(bindparam("created"), bindparam("id"))
_titles = select(r.title, r.summary).join_from(memories, revisions, (r.memory_id == m.id) & (r.revision == m.revision))
EARLIER = Prepared(
    _titles.where(_here, tuple_(m.created, m.id) < _place).order_by(m.created.desc(), m.id.desc()).limit(BEFORE)
)
LATER = Prepared(
    select(m.n, m.id, m.created, m.tags, m.company_client, m.client_project)
    .where(_here, tuple_(m.created, m.id) > _place)
    .order_by(m.created, m.id)
    .limit(BEFORE)
)


def add(driver: Driver, owner: int, memory: MemoryRecord) -> None:
    """Index a new memory, and let those after it in its conversation know."""
    number = TAKEN.value(driver, id=memory.id)
    ADD.run(driver, {"n": number, **_row(driver, owner, memory)})
    if memory.conversation_id is not None:
        refresh_later(driver, owner, memory.conversation_id, memory.created, memory.id)


def change(driver: Driver, owner: int, before: MemoryRecord, after: MemoryRecord) -> None:
    """Index a changed memory: from now on nothing finds its old text.

    Only columns that have changed are written: the indexes take a row in anew for any change of a column of theirs, and a long
    body costs them a second.
    """
    if all(getattr(before, name) == getattr(after, name) for name in TOLD):
        return
    number = TAKEN.value(driver, id=after.id)
    old = dict(zip(COLUMNS, TEXTS.one(driver, number=number) or (), strict=True))
    changed = {name: value for name, value in _row(driver, owner, after).items() if value != old[name]}
    if changed:
        _change(tuple(changed)).run(driver, {"number": number, **changed})
    if (before.title, before.summary, before.conversation_id) != (after.title, after.summary, after.conversation_id):
        for conversation in {before.conversation_id, after.conversation_id} - {None}:
            assert conversation is not None
            refresh_later(driver, owner, conversation, after.created, after.id)


def remove(driver: Driver, number: int) -> None:
    """Take a memory out of the indexes."""
    REMOVE.do(driver, number=number)


def refresh_later(driver: Driver, owner: int, conversation_id: str, created: datetime, memory_id: str) -> None:
    """Renew the context of the memories next after a place in a conversation."""
    rows = LATER.all(driver, owner=owner, conversation_id=conversation_id, created=to_text(created), id=memory_id)
    for number, later_id, later_created, tags, company, project in rows:
        told = " ".join(json.loads(tags))
        context = _context(driver, owner, conversation_id, later_created, later_id, told, company, project)
        _change(("context",)).do(driver, number=number, context=context)


def indexed_body(memory: MemoryRecord) -> str:
    """The text whose words stand in the column body: the body with what else was said, where it does not say that itself."""
    body = memory.body
    if memory.summary not in (memory.title, "") and not body.startswith(memory.summary):
        body = f"{body}\n{memory.summary}"
    return f"{body}\n{memory.user_query}" if memory.user_query else body


def _row(driver: Driver, owner: int, memory: MemoryRecord) -> dict[str, str]:
    body = indexed_body(memory)
    days: list[date] = [*dates_in(f"{memory.title}\n{body}", memory.conversation_id), memory.created.date()]
    tags = " ".join(memory.tags)
    context = _context(
        driver, owner, memory.conversation_id, to_text(memory.created), memory.id, tags,
        memory.company_client, memory.client_project,
    )  # fmt: skip
    return {
        "scope": scope(owner),
        "date": " ".join(dict.fromkeys(in_words(day) for day in days)),
        "title": words_of(memory.title),
        "context": context,
        "body": words_of(body),
        "literal": fold(f"{memory.title}\n{memory.body}"),
    }


def _context(
    driver: Driver, owner: int, conversation_id: str | None, created: str, memory_id: str, tags: str,
    company: str | None, project: str | None,
) -> str:  # fmt: skip
    told = [tags, company or "", project or ""]
    if conversation_id is not None:
        place = {"conversation_id": conversation_id, "created": created, "id": memory_id}
        for title, summary in EARLIER.all(driver, owner=owner, **place):
            told.append((title if summary in ("", title) else f"{title} {summary}")[:CONTEXT_CHARS])
    return words_of(" ".join(filter(None, told)))


def lexical(driver: Driver, owner: int, query: str, limit: int, where: Filter) -> list[tuple[str, float]]:
    """See Memories.lexical."""
    wanted = expression(query, owner)
    if wanted is None:
        return []
    shape, given = values(where, owner)
    rows = _lexical(shape).all(driver, q=wanted, limit=limit, **given)
    return [(memory_id, -rank) for memory_id, rank in rows]


def coverage(driver: Driver, owner: int, query: str, memory_ids: Sequence[str]) -> dict[str, float]:
    """See Memories.coverage. Looks into the texts themselves: asking the word index costs as much as all its hits."""
    wanted = pieces(query)
    found: dict[str, float] = {}
    for memory_id, number in memory_sql.numbers(driver, owner, memory_ids):
        literal: str = LITERAL.value(driver, number=number)
        found[memory_id] = sum(piece in literal for piece in wanted) / len(wanted) if wanted else 0.0
    return found


@lru_cache(maxsize=64)
def _change(columns: tuple[str, ...]) -> Prepared:
    given: dict[str, Any] = {name: bindparam(name) for name in columns}
    return Prepared(update(texts).where(texts.c.n == bindparam("number")).values(given))


@lru_cache(maxsize=256)
def _lexical(shape: Shape) -> Prepared:
    found = hits()
    statement: Select[Any] = (
        select(m.id, found.c.rank)
        .join_from(found, memories, m.n == found.c.n)
        .where(m.owner == bindparam("owner"), *conditions(shape))
        .order_by(found.c.rank, m.n.desc())
        .limit(bindparam("limit"))
    )
    return Prepared(statement)
