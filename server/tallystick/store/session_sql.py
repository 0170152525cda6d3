"""The statements about sessions and their messages, kept compiled."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    Integer,
    Select,
    bindparam,
    case,
    delete,
    func,
    literal_column,
    null,
    or_,
    select,
    text,
    true,
    tuple_,
    update,
)

from .clock import from_text, now, to_text
from .prepared import Driver, Prepared, Row, inserting
from .session_records import MessageRecord, SessionFilter, SessionRecord
from .session_tables import TABLES
from .text import fold

MANY = 256
sessions, messages = TABLES["sessions"], TABLES["messages"]
s, m = sessions.c, messages.c
_owned = s.owner == bindparam("owner")
_record = select(
    s.id, s.agent, s.native_id, s.title, s.cwd, s.created, s.updated, s.message_count, s.uncovered
).select_from(sessions)

ADD = inserting(sessions, "n")
NUMBER = Prepared(select(s.n).where(s.id == bindparam("session_id"), _owned))
BY_ID = Prepared(_record.where(s.id == bindparam("name"), _owned))
BY_NATIVE_ID = Prepared(
    _record.where(_owned, s.native_id == bindparam("name")).order_by(s.updated.desc(), s.id.desc()).limit(16)
)
BY_KEY = Prepared(_record.where(_owned, s.agent == bindparam("agent"), s.native_id == bindparam("native_id")))
# What appending and arranging need to know of a session.
STATE = Prepared(
    select(s.n, s.agent, s.title, s.created, s.updated, s.message_count, s.titled, s.timed).where(
        s.id == bindparam("session_id"), _owned
    )
)
CHANGE = Prepared(
    update(sessions)
    .where(s.n == bindparam("number"))
    .values(
        {name: bindparam(name) for name in ("title", "cwd", "created", "updated", "folded")}
        | {name: or_(s[name], bindparam(name)) for name in ("titled", "timed")}
    )
)
GROWN = Prepared(
    update(sessions)
    .where(s.n == bindparam("number"))
    .values({name: bindparam(name) for name in ("created", "updated", "message_count")})
)
RETITLE = Prepared(
    update(sessions).where(s.n == bindparam("number")).values(title=bindparam("title"), folded=bindparam("folded"))
)
KEYS = Prepared(select(s.native_id, s.cwd).where(s.n == bindparam("number")))
COUNTED = Prepared(update(sessions).where(s.n == bindparam("number")).values(message_count=bindparam("message_count")))
_left = s.uncovered + bindparam("by")
UNCOVER = Prepared(
    update(sessions)
    .where(s.n == bindparam("number"))
    .values(uncovered=_left, waiting=case((_left > 0, func.coalesce(s.waiting, bindparam("at")))))
)
# The claim of what is done is void: what comes later may be taken by anyone.
RELEASE = Prepared(
    text(
        "DELETE FROM leases WHERE (owner, task_id) IN"
        " (SELECT owner, 'summarize-' || id FROM sessions WHERE n = :number AND uncovered = 0)"
    )
)
DROP = Prepared(delete(sessions).where(s.n == bindparam("number")))

ADD_MESSAGE = inserting(messages, "n")
CHANGE_MESSAGE = Prepared(
    update(messages)
    .where(m.n == bindparam("number"))
    .values({
        name: bindparam(name)
        for name in ("version", "role", "covered", "content_length", "scope", "words", "content")
    } | {"timestamp": func.coalesce(bindparam("timestamp"), m.timestamp)})
)  # fmt: skip
_heading = update(messages).where(
    m.session_n == bindparam("number"), m.position == 0, m.heading.is_distinct_from(bindparam("heading"))
)
HEAD = Prepared(_heading.values(heading=bindparam("heading")))
BEHEAD = Prepared(
    update(messages)
    .where(m.session_n == bindparam("number"), m.position > 0, m.heading.is_not(None))
    .values(heading=null())
)
# What a session without a title of its own is called by.
ASKED = Prepared(
    select(m.content).where(m.session_n == bindparam("number"), m.role == "user").order_by(m.position).limit(1)
)
PLACE = Prepared(select(m.position).where(m.session_n == bindparam("number"), m.native_id == bindparam("message_id")))
DROP_MESSAGES = Prepared(delete(messages).where(m.session_n == bindparam("number")))


def record(row: Row) -> SessionRecord:
    """A row of the columns above as a record."""
    return SessionRecord._make((*row[:5], from_text(row[5]), from_text(row[6]), row[7], row[8]))


def folded(title: str, cwd: str | None, native_id: str) -> str:
    """What a literal search of sessions looks into."""
    return fold("\n".join((title, cwd or "", native_id)))


def uncover(driver: Driver, number: int, by: int) -> None:
    """So many more (or fewer) messages of a session are covered by no summary; `waiting` says since when there are any."""
    if by:
        UNCOVER.do(driver, number=number, by=by, at=to_text(now()))
    if by < 0:
        RELEASE.do(driver, number=number)


def many(driver: Driver, owner: int, session_ids: Sequence[str]) -> dict[str, SessionRecord]:
    """The sessions of those ids, by id."""
    found = {}
    for start in range(0, len(session_ids), MANY):
        some = session_ids[start : start + MANY]
        for row in _many(padded(len(some))).all(driver, owner=owner, **named(some)):
            found[row[0]] = record(row)
    return found


def page(
    driver: Driver, owner: int, where: SessionFilter, limit: int, after: tuple[datetime, str] | None
) -> list[SessionRecord]:
    """See Sessions.page."""
    given = _values(where) | {"owner": owner, "limit": limit}
    shape = frozenset(given)
    if after is not None:
        given |= {"after_created": to_text(after[0]), "after_id": after[1]}
    return [record(row) for row in _page(shape, after is not None).all(driver, **given)]


def count(driver: Driver, owner: int, where: SessionFilter) -> int:
    """See Sessions.count."""
    given = _values(where)
    number: int = _count(frozenset(given)).value(driver, owner=owner, **given)
    return number


def latest(driver: Driver, owner: int, limit: int, agent: str | None, since: datetime | None) -> list[SessionRecord]:
    """Sessions by (updated, id) downwards."""
    given: dict[str, Any] = {} if agent is None else {"agent": agent}
    if since is not None:
        given["since"] = to_text(since)
    rows = _latest(frozenset(given)).all(driver, owner=owner, limit=limit, **given)
    return [record(row) for row in rows]


def read(driver: Driver, number: int, start: int, limit: int, content_chars: int | None) -> list[MessageRecord]:
    """Messages of a session from a position on."""
    cut = {} if content_chars is None else {"chars": content_chars}
    rows = _read(bool(cut)).all(driver, number=number, start=start, limit=limit, **cut)
    return [
        MessageRecord._make((*row[:5], None if row[5] is None else from_text(row[5]), row[6], row[7] == 1))
        for row in rows
    ]


def known(driver: Driver, number: int, message_ids: Sequence[str]) -> dict[str, tuple[int, str, bool]]:
    """Of those ids that the session has: (row number, version, whether it is covered)."""
    found: dict[str, tuple[int, str, bool]] = {}
    for start in range(0, len(message_ids), MANY):
        some = message_ids[start : start + MANY]
        for row in _known(padded(len(some))).all(driver, number=number, **named(some)):
            found[row[0]] = (row[1], row[2], row[3] == 1)
    return found


def padded(size: int) -> int:
    """The next power of two, so that few statements serve all sizes."""
    return 1 << (size - 1).bit_length()


def named(some: Sequence[object]) -> dict[str, Any]:
    """Parameters x_0, x_1 … of such a statement; what is too much repeats the last value."""
    return {f"x_{i}": some[min(i, len(some) - 1)] for i in range(padded(len(some)))}


def _values(where: SessionFilter) -> dict[str, Any]:
    given: dict[str, Any] = {} if where.agent is None else {"agent": where.agent}
    for name in ("since", "until"):
        moment = getattr(where, name)
        if moment is not None:
            given[name] = to_text(moment)
    literal = fold(where.query or "")
    return given | {"literal": literal} if literal else given


def _where(statement: Select[Any], shape: frozenset[str]) -> Select[Any]:
    statement = statement.where(_owned)
    if "agent" in shape:
        statement = statement.where(s.agent == bindparam("agent"))
    if "since" in shape:
        statement = statement.where(s.updated >= bindparam("since"))
    if "until" in shape:
        statement = statement.where(s.created < bindparam("until"))
    if "literal" in shape:
        statement = statement.where(func.instr(s.folded, bindparam("literal")) > 0)
    return statement


@lru_cache(maxsize=64)
def _page(shape: frozenset[str], after: bool) -> Prepared:
    older = tuple_(s.created, s.id) < tuple_(bindparam("after_created"), bindparam("after_id")) if after else true()
    ordered = _record.order_by(s.created.desc(), s.id.desc()).limit(bindparam("limit"))
    return Prepared(_where(ordered, shape).where(older))


@lru_cache(maxsize=64)
def _count(shape: frozenset[str]) -> Prepared:
    return Prepared(_where(select(func.count()).select_from(sessions), shape))


@lru_cache(maxsize=8)
def _latest(shape: frozenset[str]) -> Prepared:
    ordered = _record.order_by(s.updated.desc(), s.id.desc()).limit(bindparam("limit"))
    return Prepared(_where(ordered, shape))


@lru_cache(maxsize=16)
def _many(size: int) -> Prepared:
    # The plus keeps the planner from walking all of the owner's sessions.
    owned = literal_column("+sessions.owner", Integer) == bindparam("owner")
    return Prepared(_record.where(s.id.in_([bindparam(f"x_{i}") for i in range(size)]), owned))


@lru_cache
def _read(cut: bool) -> Prepared:
    content = func.substr(m.content, 1, bindparam("chars")) if cut else m.content
    return Prepared(
        select(m.native_id, m.version, m.role, content, m.content_length, m.timestamp, m.position, m.covered)
        .where(m.session_n == bindparam("number"), m.position >= bindparam("start"))
        .order_by(m.position)
        .limit(bindparam("limit"))
    )


@lru_cache(maxsize=16)
def _known(size: int) -> Prepared:
    named_ones = m.native_id.in_([bindparam(f"x_{i}") for i in range(size)])
    return Prepared(
        select(m.native_id, m.n, m.version, m.covered).where(m.session_n == bindparam("number"), named_ones)
    )
