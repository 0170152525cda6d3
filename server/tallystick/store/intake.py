"""Taking the lines of an export in, as they were: ids, revisions, times, order, coverage. Full text is there at once, vectors
follow through the outbox.

A record that is here just so changes nothing, so that an export may be taken in twice. One that is here with other content is
refused: of two states neither is known to be the right one, and half of each would be a third.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import conversations, coverage, facts, links
from . import export_sql as sql
from . import session_sql as sessions
from .clock import from_text, to_text
from .errors import Unfit
from .export_sql import Line
from .intake_memories import MemoryIntake
from .intake_sessions import SessionIntake
from .known import known
from .personas import TEXTS, shipped
from .prepared import inserting
from .session_tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

TIMES = ("created", "updated", "timestamp", "captured", "first_seen", "uncovered_since")
ADD_COVERAGE = inserting(TABLES["coverage"])


class Intake:
    """Takes lines in, one after the other, within one transaction of the caller's, who undoes it where anything is refused.

    Args:
        unit: the transaction.
        user: whose records they become; made if new.

    Attributes:
        new, known: how many lines of each kind were added, and how many were here already.
    """

    def __init__(self, unit: Unit, user: str) -> None:
        self.new: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self._unit = unit
        self._driver = unit.driver
        self._owner = unit.users.ensure(user)
        self._sessions = SessionIntake(self._driver, self._owner)
        self._memories = MemoryIntake(self._driver, self._owner)
        self._shipped = shipped()
        self._takers: dict[str, Callable[[Line], bool]] = {
            "persona": self._persona, "facts": self._facts, "conversation": self._conversation,
            "session": self._sessions.session, "message": self._sessions.message,
            "memory": self._memories.memory, "revision": self._memories.revision,
            "coverage": self._coverage, "link": self._link,
        }  # fmt: skip

    def take(self, line: Line) -> None:
        """Take one line in, which meets its schema.

        Raises:
            Unfit: it, or the record before it, does not go together with what is here.
        """
        record = line["record"]
        if record != "message":
            self._sessions.close()
        if record != "revision":
            self._memories.close()
        try:
            added = self._takers[record](_timed(line))
        except sqlite3.IntegrityError:
            raise Unfit("Its id is here already, as another user's or of another line.") from None
        (self.new if added else self.known)[record] += 1

    def finish(self) -> None:
        """The last line was taken.

        Raises:
            Unfit: the record before does not go together with what is here.
        """
        self._sessions.close()
        self._memories.close()

    def _persona(self, line: Line) -> bool:
        here = self._unit.personas.get(line["name"])
        # One that is as it ships says nothing that anybody wrote.
        if here is not None and self._shipped.get(here.name) != here[1:4]:
            return not known(here, sql.persona_line, line, f"The persona {here.name}")
        texts = {name: line[name] for name in TEXTS}
        self._unit.personas.put(line["name"], **texts, at=from_text(line["updated"]))
        return True

    def _facts(self, line: Line) -> bool:
        row = sql.FACTS.one(self._driver, owner=self._owner)
        if known(row, sql.facts_line, line, "The user's facts document"):
            return False
        document = json.dumps(line["user_facts"], ensure_ascii=False, separators=(",", ":"))
        facts.PUT.do(self._driver, owner=self._owner, document=document, updated=line["updated"])
        return True

    def _conversation(self, line: Line) -> bool:
        # It says that there was a first recall; two of them do not contradict each other.
        given = {"conversation_id": line["conversation_id"], "first_seen": line["first_seen"]}
        return conversations.ADD.do(self._driver, owner=self._owner, **given) == 1

    def _coverage(self, line: Line) -> bool:
        number, memory_id = self._number(line["session"]), line["memory"]
        if sql.MEMORY.one(self._driver, owner=self._owner, id=memory_id) is None:
            raise Unfit(f"There is no memory {memory_id}, neither here nor before this line.")
        row = sql.COVERED.one(self._driver, number=number, name=line["name"], memory_id=memory_id)
        if known(row, sql.coverage_line, line, f"What {memory_id} covers in {line['session']}"):
            return False
        version = line.get("version")
        given = {"session_n": number, "token": line["name"], "memory_id": memory_id, "version": version}
        ADD_COVERAGE.run(self._driver, given)
        if version is not None:
            newly = coverage.COVER_VERSION.do(self._driver, session_n=number, bound=version)
            sessions.uncover(self._driver, number, -newly)
        return True

    def _link(self, line: Line) -> bool:
        row = sql.LINK.one(self._driver, owner=self._owner, id=line["id"])
        if known(row, sql.link_line, line, f"The link {line['id']}"):
            return False
        ends = {"source_n": self._number(line["from"]), "target_n": self._number(line["to"])}
        other = links.ONE.one(self._driver, kind=line["kind"], **ends)
        if other is not None:
            raise Unfit(f"The link from {line['from']} to {line['to']} is here already, as {other[0]}.")
        links.ADD.do(
            self._driver, id=line["id"], owner=self._owner, kind=line["kind"], created=line["created"], **ends
        )  # fmt: skip
        return True

    def _number(self, session_id: str) -> int:
        number: int | None = sessions.NUMBER.value(self._driver, owner=self._owner, session_id=session_id)
        if number is None:
            raise Unfit(f"There is no session {session_id}, neither here nor before this line.")
        return number


def _timed(line: Line) -> Line:
    """A line with its times as the store keeps them."""
    made: dict[str, Any] = {}
    for name, value in line.items():
        if name in TIMES:
            try:
                value = to_text(from_text(value))
            except (ValueError, OverflowError):
                raise Unfit(f"{name} is a time that cannot be kept: {value}.") from None
        made[name] = _timed(value) if name in ("current", "earlier") else value
    return made
