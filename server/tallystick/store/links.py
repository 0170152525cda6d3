"""Links between sessions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, or_, select
from ulid import ULID

from . import session_sql as sql
from .clock import from_text, to_text
from .clock import now as present
from .errors import Conflict, NotFound
from .prepared import Prepared, Row, inserting
from .session_records import LinkRecord
from .session_tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

links = TABLES["session_links"]
source, target = TABLES["sessions"].alias("source"), TABLES["sessions"].alias("target")
k = links.c
RECORD = (
    select(k.id, source.c.id, target.c.id, k.kind, k.created)
    .join_from(links, source, source.c.n == k.source_n)
    .join(target, target.c.n == k.target_n)
)
ONE = Prepared(
    RECORD.where(k.source_n == bindparam("source_n"), k.target_n == bindparam("target_n"), k.kind == bindparam("kind"))
)
OF = Prepared(
    RECORD.where(or_(k.source_n == bindparam("number"), k.target_n == bindparam("number"))).order_by(k.created, k.id)
)
ADD = inserting(links)


class Links:
    """Links between the owner's sessions."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    def add(self, source: str, target: str, kind: str, now: datetime | None = None) -> tuple[LinkRecord, bool]:
        """Link one session to another; a link that is there already is given back as it is.

        Args:
            source, target: session ids.
            kind: continuation, branch or reference.
            now: when.

        Returns:
            The link, and whether it was made now.

        Raises:
            NotFound: one of the sessions is none of this owner's.
            Conflict: both are the same session.
        """
        ends = {"source_n": self._number(source), "target_n": self._number(target)}
        if source == target:
            raise Conflict(f"{source} cannot be linked to itself.")
        driver = self._unit.driver
        row = ONE.one(driver, kind=kind, **ends)
        if row is not None:
            return _link(row), False
        created = to_text(now or present())
        ADD.do(driver, id=f"link_{ULID()}", owner=self._unit.owner, kind=kind, created=created, **ends)
        made = ONE.one(driver, kind=kind, **ends)
        assert made is not None
        return _link(made), True

    def of(self, session_id: str) -> list[LinkRecord]:
        """Links from and to a session, oldest first.

        Raises:
            NotFound: no such session of this owner.
        """
        return [_link(row) for row in OF.all(self._unit.driver, number=self._number(session_id))]

    def _number(self, session_id: str) -> int:
        number: int | None = sql.NUMBER.value(self._unit.driver, owner=self._unit.owner, session_id=session_id)
        if number is None:
            raise NotFound("session", session_id)
        return number


def _link(row: Row) -> LinkRecord:
    return LinkRecord(row[0], row[1], row[2], row[3], from_text(row[4]))
