"""Tasks: what is to be done, and the leases of those who do it.

* summarize: a session has messages that no summary covers. Done by a summary that covers them.
* consolidate: two active memories are nearly alike. Done by a memory that has both as parents, or when either goes.
* index: vectors are behind. cleanup: operation keys or leases have expired. Both are done by the server itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from sqlalchemy import bindparam, delete, func, select
from sqlalchemy.dialects.sqlite import insert

from . import alike
from .clock import from_text, to_text
from .clock import now as present
from .errors import Conflict, NotFound
from .prepared import Prepared, Row
from .session_records import Lease, TaskRecord
from .session_tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

HELD = timedelta(minutes=5)

sessions, leases, operations = TABLES["sessions"], TABLES["leases"], TABLES["operations"]
s, e = sessions.c, leases.c
_waiting = select(s.id, s.uncovered, s.waiting).where(s.owner == bindparam("owner"), s.waiting.is_not(None))
SUMMARIZE = Prepared(_waiting.order_by(s.waiting, s.id).limit(bindparam("limit")))
ONE_SUMMARIZE = Prepared(_waiting.where(s.id == bindparam("session_id")))
_memories, _outbox = TABLES["memories"], TABLES["outbox"]
BEHIND = Prepared(
    select(func.count(), func.min(_memories.c.updated))
    .join_from(_outbox, _memories, _memories.c.id == _outbox.c.memory_id)
    .where(_outbox.c.owner == bindparam("owner"))
)
_session_outbox = TABLES["session_outbox"]
SESSIONS_BEHIND = Prepared(
    select(func.count(), func.min(s.updated))
    .join_from(_session_outbox, sessions, s.n == _session_outbox.c.session_n)
    .where(_session_outbox.c.owner == bindparam("owner"))
)
_o = operations.c
OLD_KEYS = Prepared(
    select(func.count(), func.min(_o.expires)).where(_o.owner == bindparam("owner"), _o.expires <= bindparam("now"))
)
OLD_LEASES = Prepared(
    select(func.count(), func.min(e.expires)).where(e.owner == bindparam("owner"), e.expires <= bindparam("now"))
)
LEASES = Prepared(
    select(e.task_id, e.claimed_by, e.expires).where(e.owner == bindparam("owner"), e.expires > bindparam("now"))
)
LEASE = Prepared(
    select(e.claimed_by, e.expires).where(
        e.owner == bindparam("owner"), e.task_id == bindparam("task_id"), e.expires > bindparam("now")
    )
)
_put = insert(leases).values({c.name: bindparam(c.name) for c in e})
PUT = Prepared(
    _put.on_conflict_do_update(
        index_elements=["owner", "task_id"],
        set_={"claimed_by": _put.excluded.claimed_by, "expires": _put.excluded.expires},
    )
)
EXPIRED = Prepared(delete(leases).where(e.expires <= bindparam("now")))


class Tasks:
    """The owner's tasks. They are nowhere written down: they follow from the records, and are done when those say so."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._driver = unit.driver
        self._owner = unit.owner

    def list(self, limit: int = 100, now: datetime | None = None) -> list[TaskRecord]:
        """What is to be done, each sort oldest first: summarize, consolidate, index, cleanup.

        Args:
            limit: how many of the first sort, and how many of the second, at most.
            now: what leases and operation keys are measured by.
        """
        at = to_text(now or present())
        rows = SUMMARIZE.all(self._driver, owner=self._owner, limit=limit)
        found = [_summarize(*row) for row in rows]
        pairs = alike.NEWEST.all(self._driver, owner=self._owner, limit=limit)
        found += [_consolidate(a, b, since) for a, b, since, _ in pairs]
        found += [task for task in (self._index(), self._cleanup(at)) if task is not None]
        leases = {row[0]: row[1:] for row in LEASES.all(self._driver, owner=self._owner, now=at)}
        return [
            task._replace(claimed_by=leases[task.id][0], expires=from_text(leases[task.id][1]))
            if task.id in leases
            else task
            for task in found
        ]

    def claim(self, task_id: str, claimant: str, now: datetime | None = None) -> Lease:
        """Take a task for five minutes; who has it renews it so.

        Args:
            task_id: which task.
            claimant: who takes it.
            now: when.

        Raises:
            NotFound: there is no such task (any more).
            Conflict: another claimant has it.
        """
        moment = now or present()
        at = to_text(moment)
        if not self._stands(task_id, at):
            raise NotFound("task", task_id)
        row = LEASE.one(self._driver, owner=self._owner, task_id=task_id, now=at)
        if row is not None and row[0] != claimant:
            raise Conflict(f"{task_id} is claimed by {row[0]} until {row[1]}.")
        expires = moment + HELD
        PUT.do(self._driver, owner=self._owner, task_id=task_id, claimed_by=claimant, expires=to_text(expires))
        return Lease(task_id, claimant, from_text(to_text(expires)))

    def purge(self, now: datetime) -> int:
        """Remove the expired leases of all owners; how many they were."""
        return EXPIRED.do(self._driver, now=to_text(now))

    def _stands(self, task_id: str, at: str) -> bool:
        kind, _, rest = task_id.partition("-")
        if kind == "summarize":
            return ONE_SUMMARIZE.one(self._driver, owner=self._owner, session_id=rest) is not None
        if kind == "consolidate":
            # Memory ids may hold hyphens where they were given from outside: each cut is tried.
            cuts = [i for i, character in enumerate(rest) if character == "-"]
            pairs = ((rest[:i], rest[i + 1 :]) for i in cuts)
            return any(alike.ONE.one(self._driver, owner=self._owner, a=a, b=b) is not None for a, b in pairs)
        if task_id == "index":
            return self._index() is not None
        return task_id == "cleanup" and self._cleanup(at) is not None

    def _index(self) -> TaskRecord | None:
        counts = [statement.one(self._driver, owner=self._owner) for statement in (BEHIND, SESSIONS_BEHIND)]
        return _own("index", "normal", counts)

    def _cleanup(self, at: str) -> TaskRecord | None:
        counts = [statement.one(self._driver, owner=self._owner, now=at) for statement in (OLD_KEYS, OLD_LEASES)]
        return _own("cleanup", "low", counts)


def _summarize(session_id: str, uncovered: int, waiting: str) -> TaskRecord:
    return TaskRecord(
        f"summarize-{session_id}", "summarize", uncovered, "normal", from_text(waiting), session=session_id
    )


def _consolidate(a: str, b: str, found: str) -> TaskRecord:
    return TaskRecord(f"consolidate-{a}-{b}", "consolidate", 2, "low", from_text(found), memories=(a, b))


def _own(
    kind: Literal["index", "cleanup"], priority: Literal["low", "normal"], counts: Sequence[Row | None]
) -> TaskRecord | None:
    """A task the server does itself, from (how many, since when) of what it is about."""
    some = [row for row in counts if row is not None and row[0]]
    if not some:
        return None
    return TaskRecord(kind, kind, sum(row[0] for row in some), priority, from_text(min(row[1] for row in some)))
