"""Writes that were sent to another service and are not known to be done.

A write is noted before it is sent and the note is gone when the service says that it is done or refused. What is left says
that nobody knows: a process was killed, an answer was lost. Such a write is never sent again by itself.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from sqlalchemy import bindparam, delete, select, update
from ulid import ULID

from .clock import now, to_text
from .errors import Conflict
from .operations import KEPT
from .prepared import Prepared, inserting
from .tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

State = Literal["sent", "unknown", "partial"]

sent = TABLES["sent_writes"]
s = sent.c
FIND = Prepared(
    select(s.id, s.name, s.args_hash, s.target, s.state, s.message).where(
        s.owner == bindparam("owner"),
        s.agent == bindparam("agent"),
        s.key == bindparam("key"),
        s.expires > bindparam("now"),
    )
)
ADD = inserting(sent)
MARK = Prepared(
    update(sent)
    .where(s.id == bindparam("sent_id"), s.owner == bindparam("owner"))
    .values(state=bindparam("state"), message=bindparam("message"))
)
DROP = Prepared(delete(sent).where(s.id == bindparam("sent_id"), s.owner == bindparam("owner")))
EXPIRED = Prepared(delete(sent).where(s.expires <= bindparam("now")))


class SentRecord(NamedTuple):
    """A write of which it is not known that it was done.

    Attributes:
        target: id of what it makes or changes.
        state: sent (no answer yet, or none ever), unknown (the answer was lost), partial (done, but not all that was asked).
        message: what is known of it, for people.
    """

    id: str
    name: str
    args_hash: str
    target: str
    state: str
    message: str | None


class SentWrites:
    """The owner's writes to other services."""

    def __init__(self, unit: Unit) -> None:
        self._driver = unit.driver
        self._owner = unit.owner

    def find(self, agent: str, key: str) -> SentRecord | None:
        """What was sent under this operation key and is not known to be done."""
        row = FIND.one(self._driver, owner=self._owner, agent=agent, key=key, now=to_text(now()))
        return None if row is None else SentRecord._make(row)

    def add(self, *, agent: str, key: str | None, name: str, args_hash: str, target: str, at: datetime) -> str:
        """Note a write that is about to be sent; returns the id of the note.

        Raises:
            Conflict: one is noted under this operation key.
        """
        made = f"sent_{ULID()}"
        row = {"id": made, "owner": self._owner, "agent": agent, "key": key, "name": name, "args_hash": args_hash}
        row |= {"target": target, "state": "sent", "message": None}
        try:
            ADD.run(self._driver, {**row, "created": to_text(at), "expires": to_text(at + KEPT)})
        except sqlite3.IntegrityError:
            raise Conflict("A call with this operation key is under way. Wait for its answer.") from None
        return made

    def mark(self, sent_id: str, state: State, message: str) -> None:
        """Note what is known of it by now."""
        MARK.do(self._driver, sent_id=sent_id, owner=self._owner, state=state, message=message)

    def drop(self, sent_id: str) -> None:
        """It is done, or was refused: its outcome is known."""
        DROP.do(self._driver, sent_id=sent_id, owner=self._owner)

    def purge(self, at: datetime) -> int:
        """Remove the expired notes of all owners; how many they were."""
        return EXPIRED.do(self._driver, now=to_text(at))
