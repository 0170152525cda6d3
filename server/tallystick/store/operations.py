"""Operation keys: what was answered to a write, so that its repetition is answered the same and done once."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, select
from ulid import ULID

from .clock import from_text, now, to_text
from .prepared import Prepared, inserting
from .records import OperationRecord
from .tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

KEPT = timedelta(hours=48)  # the contract promises 24

operations = TABLES["operations"]
o = operations.c
FIND = Prepared(
    select(o.id, o.agent, o.key, o.name, o.args_hash, o.answer, o.subject, o.created, o.expires).where(
        o.owner == bindparam("owner"), o.agent == bindparam("agent"), o.key == bindparam("key")
    )
)
ADD = inserting(operations)
DROP = Prepared(
    delete(operations).where(o.owner == bindparam("owner"), o.agent == bindparam("agent"), o.key == bindparam("key"))
)
ABOUT = Prepared(delete(operations).where(o.owner == bindparam("owner"), o.subject == bindparam("subject")))
EXPIRED = Prepared(delete(operations).where(o.expires <= bindparam("now")))


class Operations:
    """The owner's writes under operation keys; a key belongs to one agent of the owner."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    def find(self, agent: str, key: str, at: datetime | None = None) -> OperationRecord | None:
        """What was done under this key, unless it has expired."""
        row = FIND.one(self._unit.driver, owner=self._unit.owner, agent=agent, key=key)
        if row is None or row[8] <= to_text(at or now()):
            return None
        created, expires = from_text(row[7]), from_text(row[8])
        return OperationRecord._make((*row[:7], created, expires))

    def add(
        self, *, agent: str, key: str, name: str, args_hash: str, answer: str, subject: str | None = None,
        now: datetime,
    ) -> OperationRecord:  # fmt: skip
        """Keep the outcome of a write.

        Args:
            answer: JSON text of what may be kept of the answer.
            subject: id of the record it is about; erasing that record erases this row.
            now: when it was done; the row expires 48 hours later.
        """
        driver, owner = self._unit.driver, self._unit.owner
        DROP.do(driver, owner=owner, agent=agent, key=key)  # an expired one under the same key
        made = OperationRecord(f"op_{ULID()}", agent, key, name, args_hash, answer, subject, now, now + KEPT)
        ADD.run(driver, {**made._asdict(), "owner": owner, "created": to_text(now), "expires": to_text(made.expires)})
        return made

    def purge(self, at: datetime) -> int:
        """Remove the expired ones of all owners; how many they were."""
        return EXPIRED.do(self._unit.driver, now=to_text(at))
