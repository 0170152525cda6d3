"""The search of memvault_search: a user's full-text expression over messages and memories.

Each index is asked twice. The first pass ranks every hit and counts them, which costs what FTS5 itself costs; the second only
walks the hits, to cut the passages of those on the page. Where nobody else has records, the tokens that confine a query to
its owner are left out: they would cost as much as all the owner's rows. That the owner is right is in any case decided
by the rows themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import text

from .append import agent_scope, role_scope
from .clock import from_text
from .expression import confined, readings
from .fulltext import WEIGHTS
from .memory_texts import indexed_body
from .prepared import Prepared
from .session_records import Found, Hit, MemoryHit, MessageHit, SearchKind, Sort
from .session_sql import named, padded
from .snippet import END, START, TOKENS, beginning, snippet
from .text import scope, words_of

if TYPE_CHECKING:
    from .unit import Unit

LEAST = 0.0001  # the score of a hit, however far behind the best
RANKS = {
    "session": "bm25(message_words, 1.0, 1.0, 0.0)",  # title, body, scope
    "memory": f"bm25(memory_words, {WEIGHTS})",
}
_messages = (
    f"SELECT rowid AS n, {RANKS['session']} AS score, '' AS time FROM message_words WHERE message_words MATCH :q"  # noqa: S608
)
_timed_messages = (
    f"SELECT m.n AS n, {RANKS['session']} AS score, coalesce(m.timestamp, m.captured) AS time"  # noqa: S608
    " FROM message_words f CROSS JOIN messages m ON m.n = f.rowid WHERE f.message_words MATCH :q"
)
_memories = (
    f"SELECT m.n AS n, {RANKS['memory']} AS score, m.updated AS time"  # noqa: S608
    " FROM memory_words f CROSS JOIN memories m ON m.n = f.rowid WHERE f.memory_words MATCH :q"
    " AND m.owner = :owner AND m.status = 'active' AND (:agent IS NULL OR m.agent = :agent)"
)
# The limit keeps the inner query apart: FTS5's functions cannot be used under a window.
_page = (
    "SELECT n, score, time, count(*) OVER () AS total, min(score) OVER () AS best FROM ({hits} LIMIT -1)"
    " ORDER BY {order} LIMIT :limit"
)
RANKED = {
    (kind, sort): Prepared(text(_page.format(hits=hits, order=order)))
    for kind, sort, hits, order in (
        ("session", "relevance", _messages, "score, n DESC"),
        ("session", "recent", _timed_messages, "time DESC, n DESC"),
        ("memory", "relevance", _memories, "score, n DESC"),
        ("memory", "recent", _memories, "time DESC, n DESC"),
    )
}
OWNERS = {
    kind: Prepared(text(f"SELECT (SELECT min(owner) FROM {table}), (SELECT max(owner) FROM {table})"))  # noqa: S608
    for kind, table in (("session", "sessions"), ("memory", "memories"))
}


class _Ranked(NamedTuple):
    kind: SearchKind
    n: int
    score: float
    time: str


class _Page(NamedTuple):
    hits: list[_Ranked]
    total: int


def search(
    unit: Unit, query: str, *, kind: SearchKind | None = None, agent: str | None = None, role: str | None = None,
    sort: Sort = "relevance", limit: int = 10, offset: int = 0,
) -> Found:  # fmt: skip
    """See Unit.search."""
    kinds: tuple[SearchKind, ...] = ("session", "memory") if kind is None else (kind,)
    if role is not None:
        kinds = tuple(one for one in kinds if one == "session")
    interpreted = None
    for expression, interpreted in readings(query):
        asked = {one: _confined(unit, one, expression, agent, role) for one in kinds}
        page = _ranked(unit, asked, agent, sort, limit, offset)
        if page.total:
            return Found(_shown(unit, asked, page), page.total, interpreted)
    return Found((), 0, interpreted)


def _confined(unit: Unit, kind: SearchKind, expression: str, agent: str | None, role: str | None) -> str:
    owner, scopes = unit.owner, []
    if kind == "session" and agent is not None:
        scopes.append(agent_scope(owner, agent))
    if kind == "session" and role is not None:
        scopes.append(role_scope(owner, role))
    if not scopes and OWNERS[kind].one(unit.driver) != (owner, owner):
        scopes.append(scope(owner))
    return confined(expression, scopes)


def _ranked(
    unit: Unit, asked: dict[SearchKind, str], agent: str | None, sort: Sort, limit: int, offset: int
) -> _Page:  # fmt: skip
    found: list[_Ranked] = []
    total = 0
    for kind, expression in asked.items():
        given = {"q": expression, "owner": unit.owner, "agent": agent, "limit": limit + offset}
        rows = RANKED[kind, sort].all(unit.driver, **given)
        # Relative to the best of its kind: how rare a word is, and with it BM25, is another matter among memories than
        # among messages.
        found += [_Ranked(kind, n, max(LEAST, round(score / best, 4)), time) for n, score, time, _, best in rows]
        total += rows[0][3] if rows else 0
    if len(asked) > 1:  # of equals memories come first
        found.sort(key=lambda hit: (hit.time if sort == "recent" else hit.score, hit.kind == "memory"), reverse=True)
    return _Page(found[offset : offset + limit], total)


def _shown(unit: Unit, asked: dict[SearchKind, str], page: _Page) -> tuple[Hit, ...]:
    made: dict[tuple[SearchKind, int], Hit] = {}
    for kind, expression in asked.items():
        scores = {hit.n: hit.score for hit in page.hits if hit.kind == kind}
        if scores:
            shower = _messages_shown if kind == "session" else _memories_shown
            made |= {(kind, n): hit for n, hit in shower(unit, expression, scores)}
    # Left out is what is not this owner's: no scope token lets such a row through, and if one did it ends here.
    return tuple(made[hit.kind, hit.n] for hit in page.hits if (hit.kind, hit.n) in made)


def _messages_shown(unit: Unit, expression: str, scores: dict[int, float]) -> Iterator[tuple[int, Hit]]:
    numbers = list(scores)
    passages = _marked("message_words", unit, expression, numbers)
    for n, session, title, native_id, role, timestamp, words, content in _message_rows(padded(len(numbers))).all(
        unit.driver, owner=unit.owner, **named(numbers)
    ):
        heading, body = passages[n]
        cut = snippet(content, body, words) or snippet(title, heading, words_of(title)) or beginning(content)
        yield n, MessageHit(session, native_id, role, scores[n], cut, from_text(timestamp))


def _memories_shown(unit: Unit, expression: str, scores: dict[int, float]) -> Iterator[tuple[int, Hit]]:
    numbers = list(scores)
    passages = _marked("memory_words", unit, expression, numbers)
    ids: dict[str, int] = dict(_memory_ids(padded(len(numbers))).all(unit.driver, owner=unit.owner, **named(numbers)))
    for memory in unit.memories.get_many(list(ids)):
        n = ids[memory.id]
        heading, body = passages[n]
        said = indexed_body(memory)
        cut = snippet(said, body, words_of(said)) or snippet(memory.title, heading, words_of(memory.title))
        shown = MemoryHit(
            memory.id, memory.title, memory.kind, memory.pending, scores[n], cut or beginning(said), memory.updated
        )
        yield n, shown


def _marked(index: str, unit: Unit, expression: str, numbers: list[int]) -> dict[int, tuple[str, str]]:
    rows = _passages(index, padded(len(numbers))).all(unit.driver, q=expression, **named(numbers))
    return {n: (title, body) for n, title, body in rows}


@lru_cache(maxsize=32)
def _passages(index: str, size: int) -> Prepared:
    title, body = (
        f"snippet({index}, {column}, char({ord(START)}), char({ord(END)}), '', {TOKENS})" for column in (0, 1)
    )
    # The plus has the hits walked once; without it FTS5 would begin anew for each row, which for a prefix is dear.
    return Prepared(
        text(f"SELECT rowid, {title}, {body} FROM {index} WHERE {index} MATCH :q AND +rowid IN ({_names(size)})")  # noqa: S608
    )


@lru_cache(maxsize=16)
def _message_rows(size: int) -> Prepared:
    return Prepared(
        text(
            "SELECT m.n, s.id, s.title, m.native_id, m.role, coalesce(m.timestamp, m.captured), m.words, m.content"  # noqa: S608
            f" FROM messages m JOIN sessions s ON s.n = m.session_n WHERE m.n IN ({_names(size)})"
            " AND m.owner = :owner AND +s.owner = :owner"
        )
    )


@lru_cache(maxsize=16)
def _memory_ids(size: int) -> Prepared:
    return Prepared(text(f"SELECT id, n FROM memories WHERE n IN ({_names(size)}) AND +owner = :owner"))  # noqa: S608


def _names(size: int) -> str:
    return ", ".join(f":x_{i}" for i in range(size))
