"""Which messages are covered by summaries.

A summary names messages by id or version. A name is bound to the version its message had when the two first met: a message
whose text changes later is uncovered again. A name whose message is not there yet waits for it. A message is covered as long
as a summary that covers it exists, whatever its status.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, select, text, update
from sqlalchemy.dialects.sqlite import insert

from . import session_sql as sql
from .errors import Conflict
from .prepared import Driver, Prepared
from .session_tables import TABLES

if TYPE_CHECKING:
    from .records import MemoryRecord
    from .unit import Unit

coverage, memories, messages = TABLES["coverage"], TABLES["memories"], TABLES["messages"]
c, m = coverage.c, messages.c
ADD = Prepared(
    insert(coverage)
    .values(session_n=bindparam("session_n"), token=bindparam("token"), memory_id=bindparam("memory_id"))
    .on_conflict_do_nothing()
)
_here = c.session_n == bindparam("session_n")
ANY = Prepared(select(c.token).where(_here).limit(1))
OPEN = Prepared(select(c.token).where(_here, c.version.is_(None)).distinct())
BIND = Prepared(
    update(coverage).where(_here, c.token == bindparam("name"), c.version.is_(None)).values(version=bindparam("bound"))
)
BOUND = Prepared(select(c.token).where(_here, c.version == bindparam("bound")).limit(1))
VERSIONS = Prepared(select(m.version).where(m.session_n == bindparam("session_n")))
COVER = Prepared(
    update(messages)
    .where(m.session_n == bindparam("session_n"), m.native_id == bindparam("native_id"), m.covered.is_(False))
    .values(covered=True)
)
COVER_VERSION = Prepared(
    update(messages)
    .where(m.session_n == bindparam("session_n"), m.version == bindparam("bound"), m.covered.is_(False))
    .values(covered=True)
)
SESSIONS = Prepared(select(c.session_n).where(c.memory_id == bindparam("memory_id")).distinct())
ALONE = Prepared(
    text(
        "UPDATE messages SET covered = false WHERE session_n = :session_n AND covered AND version IN"
        " (SELECT version FROM coverage WHERE session_n = :session_n AND memory_id = :memory_id)"
        " AND version NOT IN (SELECT version FROM coverage WHERE session_n = :session_n AND memory_id != :memory_id"
        " AND version IS NOT NULL)"
    )
)
DROP = Prepared(delete(coverage).where(c.memory_id == bindparam("memory_id")))
WAITING = Prepared(
    select(memories.c.id, memories.c.covered).where(
        memories.c.owner == bindparam("owner"),
        memories.c.session.in_([bindparam("session_id"), bindparam("native_id")]),
        memories.c.kind == "summary",
        memories.c.covered != "[]",
    )
)


def note(unit: Unit, memory: MemoryRecord) -> None:
    """Have a memory that was just written cover what it names. One that is no summary, or whose session is not captured yet,
    covers nothing."""
    if memory.kind != "summary" or memory.session is None or not memory.covered:
        return
    try:
        session = unit.sessions.get(memory.session, memory.agent)
    except Conflict:  # a native id of several agents' sessions, none of them this one's
        return
    if session is not None:
        _cover(unit, sql.NUMBER.value(unit.driver, owner=unit.owner, session_id=session.id), memory.id, memory.covered)


def forget(unit: Unit, memory_id: str) -> None:
    """A memory covers nothing any more."""
    for (session_n,) in SESSIONS.all(unit.driver, memory_id=memory_id):
        bare = ALONE.do(unit.driver, session_n=session_n, memory_id=memory_id)
        sql.uncover(unit.driver, session_n, bare)
    DROP.do(unit.driver, memory_id=memory_id)


def expect(driver: Driver, owner: int, session_n: int, session_id: str, native_id: str) -> None:
    """A session was just made: summaries that were written before it cover its messages when they come."""
    for memory_id, covered in WAITING.all(driver, owner=owner, session_id=session_id, native_id=native_id):
        ADD.each(driver, ({"session_n": session_n, "token": t, "memory_id": memory_id} for t in json.loads(covered)))


class Names:
    """The names that a session's messages are covered by."""

    def __init__(self, driver: Driver, session_n: int) -> None:
        self._driver = driver
        self._session_n = session_n
        self._any = ANY.one(driver, session_n=session_n) is not None
        self._open = {name for (name,) in OPEN.all(driver, session_n=session_n)} if self._any else set()

    def covers(self, native_id: str, version: str) -> bool:
        """Whether a message that has just come, or has this version now, is covered; binds the names that waited for it."""
        if not self._any:
            return False
        for name in self._open & {native_id, version}:
            BIND.do(self._driver, session_n=self._session_n, name=name, bound=version)
            self._open.discard(name)
        return BOUND.one(self._driver, session_n=self._session_n, bound=version) is not None


def _cover(unit: Unit, session_n: int, memory_id: str, names: Iterable[str]) -> None:
    driver = unit.driver
    names = list(dict.fromkeys(names))
    ADD.each(driver, ({"session_n": session_n, "token": name, "memory_id": memory_id} for name in names))
    have = sql.known(driver, session_n, names)
    rest = set(names) - set(have)
    if rest:
        rest &= {version for (version,) in VERSIONS.all(driver, session_n=session_n)}
    newly = 0
    for name, (_, version, _) in have.items():
        BIND.do(driver, session_n=session_n, name=name, bound=version)
        newly += COVER.do(driver, session_n=session_n, native_id=name)
    for version in rest:
        BIND.do(driver, session_n=session_n, name=version, bound=version)
        newly += COVER_VERSION.do(driver, session_n=session_n, bound=version)
    sql.uncover(driver, session_n, -newly)
