"""Which conversations have had their first recall: that one brings the user's facts along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, select
from sqlalchemy.dialects.sqlite import insert

from .clock import now, to_text
from .prepared import Driver, Prepared
from .tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

conversations = TABLES["conversations"]
c = conversations.c
SEEN = Prepared(select(c.owner).where(c.owner == bindparam("owner"), c.conversation_id == bindparam("conversation_id")))
ADD = Prepared(
    insert(conversations)
    .values(owner=bindparam("owner"), conversation_id=bindparam("conversation_id"), first_seen=bindparam("first_seen"))
    .on_conflict_do_nothing()
)
DELETE = Prepared(delete(conversations).where(c.owner == bindparam("owner")))


class Conversations:
    """The owner's conversations."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    def mark(self, conversation_id: str) -> bool:
        """Note that a recall was made in this conversation.

        In a snapshot the note is written right after it, in a transaction of its own: recall is a read, and should not wait
        for writers. Should the process die in between, the next recall counts as the first one once more.

        Returns:
            True the first time.
        """
        owner, store = self._unit.owner, self._unit.store
        if SEEN.one(self._unit.driver, owner=owner, conversation_id=conversation_id) is not None:
            return False
        if self._unit.writing:
            _add(self._unit.driver, owner, conversation_id)
            return True

        def note() -> None:
            with store.write(owner) as unit:
                _add(unit.driver, owner, conversation_id)

        self._unit.after_commit(note)
        return True


def _add(driver: Driver, owner: int, conversation_id: str) -> None:
    ADD.do(driver, owner=owner, conversation_id=conversation_id, first_seen=to_text(now()))
