"""Which conversations have had their first recall: that one brings the user's facts along."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, select

from .clock import now, to_text
from .prepared import Prepared, upsert
from .tables import TABLES

if TYPE_CHECKING:
    from .store import Store
    from .unit import Unit

Mark = tuple[int, str]

REMEMBERED = 4096  # marks that are in the database, kept for snapshots that are older than they

conversations = TABLES["conversations"]
c, m = conversations.c, TABLES["memories"].c
SEEN = Prepared(select(c.owner).where(c.owner == bindparam("owner"), c.conversation_id == bindparam("conversation_id")))
ADD = upsert(conversations)
DELETE = Prepared(delete(conversations).where(c.owner == bindparam("owner")))
DELETE_ONE = Prepared(
    delete(conversations).where(c.owner == bindparam("owner"), c.conversation_id == bindparam("conversation_id"))
)
USED = Prepared(
    select(m.id).where(m.owner == bindparam("owner"), m.conversation_id == bindparam("conversation_id")).limit(1)
)


class Conversations:
    """The owner's conversations."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    def mark(self, conversation_id: str) -> bool:
        """Note that a recall was made in this conversation.

        Recall is a read and must not wait for writers: within this process the note counts at once, the indexer's thread writes
        it. Should the process die in between, the next recall counts as the first one once more; should this unit of work fail,
        too.

        Returns:
            True the first time.
        """
        unit, marks, mark = self._unit, self._unit.store.marks, (self._unit.owner, conversation_id)
        if SEEN.one(unit.driver, owner=unit.owner, conversation_id=conversation_id) is not None or not marks.claim(
            mark
        ):
            return False
        unit.after_rollback(lambda: marks.withdraw(mark))
        unit.after_commit(lambda: marks.keep(mark))
        unit.after_commit(unit.store.wake)
        return True


def forget_empty(unit: Unit, conversation_id: str) -> None:
    """A memory of a conversation was erased: where it was the last one, the name of the conversation goes, too."""
    mark = {"owner": unit.owner, "conversation_id": conversation_id}
    if USED.one(unit.driver, **mark) is None:
        DELETE_ONE.do(unit.driver, **mark)
        unit.after_change(lambda: unit.store.marks.drop((unit.owner, conversation_id)))


class Marks:
    """Marks on their way into the database."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._claimed: set[Mark] = set()  # by units of work that have not ended
        self._waiting: set[Mark] = set()
        self._written: OrderedDict[Mark, None] = OrderedDict()

    def claim(self, mark: Mark) -> bool:
        """Make a mark; False where it was made before."""
        with self._lock:
            if mark in self._claimed or mark in self._waiting or mark in self._written:
                return False
            self._claimed.add(mark)
            return True

    def withdraw(self, mark: Mark) -> None:
        """It does not count: what claimed it failed."""
        with self._lock:
            self._claimed.discard(mark)

    def keep(self, mark: Mark) -> None:
        """It counts, and is to be written."""
        with self._lock:
            if mark in self._claimed:
                self._claimed.remove(mark)
                self._waiting.add(mark)

    def forget(self, owner: int) -> None:
        """All records of an owner were erased."""
        with self._lock:
            for marks in (self._claimed, self._waiting):
                marks.difference_update({mark for mark in marks if mark[0] == owner})
            for mark in [mark for mark in self._written if mark[0] == owner]:
                del self._written[mark]

    def drop(self, mark: Mark) -> None:
        """One was erased."""
        with self._lock:
            self._waiting.discard(mark)
            self._written.pop(mark, None)

    def write(self, store: Store) -> bool:
        """Write what waits; False where nothing does."""
        if not self._waiting:
            return False
        with store.write(0) as unit:
            with self._lock:
                marks = set(self._waiting)  # looked at in the write's turn: an erased owner's are gone
            for owner, conversation_id in marks:
                ADD.do(unit.driver, owner=owner, conversation_id=conversation_id, first_seen=to_text(now()))
            unit.after_change(lambda: self._settle(marks))
        return True

    def _settle(self, marks: set[Mark]) -> None:
        with self._lock:
            self._waiting -= marks
            self._written.update(dict.fromkeys(marks))
            while len(self._written) > REMEMBERED:
                self._written.popitem(last=False)
