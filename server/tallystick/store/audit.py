"""Audit rows: which writes were done, by whom, with which outcome. They never hold text of a memory."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select, tuple_
from ulid import ULID

from .clock import from_text, to_text
from .prepared import Prepared, inserting
from .records import AuditFilter, AuditRecord
from .tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

audit = TABLES["audit"]
a = audit.c
ADD = inserting(audit)
EVERY = AuditFilter()
EQUAL = ("owner", "operation", "agent", "user")


class Audit:
    """Audit rows of all users."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    def add(
        self, *, request_id: str, user: str, agent: str, operation: str, outcome: str, duration_ms: float,
        subject: str | None = None, now: datetime,
    ) -> None:  # fmt: skip
        """Add a row about the owner of this unit of work."""
        ADD.do(
            self._unit.driver, id=f"aud_{ULID()}", time=to_text(now), request_id=request_id, owner=self._unit.owner,
            user=user, agent=agent, operation=operation, outcome=outcome, duration_ms=duration_ms, subject=subject,
        )  # fmt: skip

    def page(
        self, limit: int, after: tuple[datetime, str] | None = None, where: AuditFilter = EVERY
    ) -> list[AuditRecord]:
        """Rows newest first.

        Args:
            limit: how many at most.
            after: (time, id) of the last row already had.
            where: which.
        """
        values: dict[str, object] = {"limit": limit}
        if after is not None:
            values |= {"after_time": to_text(after[0]), "after_id": after[1]}
        for name in EQUAL:
            if (value := getattr(where, name)) is not None:
                values[name] = value
        for name in ("since", "until"):
            if (moment := getattr(where, name)) is not None:
                values[name] = to_text(moment)
        rows = _page(frozenset(values)).all(self._unit.driver, **values)
        return [AuditRecord(row[0], from_text(row[1]), *row[2:]) for row in rows]


@lru_cache
def _page(given: frozenset[str]) -> Prepared:
    statement = select(audit).order_by(a.time.desc(), a.id.desc()).limit(bindparam("limit"))
    if "after_time" in given:
        statement = statement.where(tuple_(a.time, a.id) < tuple_(bindparam("after_time"), bindparam("after_id")))
    for name in given.intersection(EQUAL):
        statement = statement.where(a[name] == bindparam(name))
    if "since" in given:
        statement = statement.where(a.time >= bindparam("since"))
    if "until" in given:
        statement = statement.where(a.time < bindparam("until"))
    return Prepared(statement)
