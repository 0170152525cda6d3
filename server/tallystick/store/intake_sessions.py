"""Sessions of an export on their way in, each with its messages behind it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import bindparam, update

from . import export_sql as sql
from . import session_outbox
from . import session_sql as sessions
from .append import indexed, scope_of
from .clock import now, to_text
from .errors import Unfit
from .export_sql import Line
from .known import known
from .prepared import Driver, Prepared, Row
from .text import words_of

SESSION = ("id", "agent", "native_id", "title", "cwd", "created", "updated", "titled", "timed")
FILLED = Prepared(
    update(sessions.sessions)
    .where(sessions.s.n == bindparam("number"))
    .values({name: bindparam(name) for name in ("message_count", "uncovered", "waiting")})
)


@dataclass
class _Open:
    """The session whose messages come now; `expected` of them are here already, None where it is new."""

    line: Line
    number: int
    expected: int | None
    count: int = 0


class SessionIntake:
    """Takes in the sessions of one owner. No message of a new one is covered before a line says so."""

    def __init__(self, driver: Driver, owner: int) -> None:
        self._driver = driver
        self._owner = owner
        self._open: _Open | None = None

    def session(self, line: Line) -> bool:
        """Begin a session; see Intake.take."""
        key = {"agent": line["agent"], "native_id": line["native_id"]}
        other = sessions.BY_KEY.one(self._driver, owner=self._owner, **key)
        if other is not None and other[0] != line["id"]:
            raise Unfit(f"The session {key['native_id']} of {key['agent']} is here already, as {other[0]}.")
        row = sql.SESSION.one(self._driver, owner=self._owner, id=line["id"])
        if row is not None:
            known(row, _alone, {**line, "uncovered_since": None}, f"The session {line['id']}")
            self._open = _Open(line, row[8], row[9])
            return False
        kept = {name: line.get(name) for name in SESSION}
        folded = sessions.folded(line["title"], line.get("cwd"), line["native_id"])
        filled = {"message_count": 0, "uncovered": 0, "waiting": None}
        sessions.ADD.run(self._driver, kept | filled | {"owner": self._owner, "folded": folded})
        number = sessions.NUMBER.value(self._driver, owner=self._owner, session_id=line["id"])
        self._open = _Open(line, number, None)
        return True

    def message(self, line: Line) -> bool:
        """Take in the next message of the session that was begun; see Intake.take."""
        at = self._open
        if at is None or at.line["id"] != line["session"]:
            raise Unfit(f"This message is not behind its session {line['session']}.")
        place, at.count = at.count, at.count + 1
        if at.expected is not None:
            row = sql.MESSAGE.one(self._driver, number=at.number, id=line["id"])
            if row is None or row[7] != place:
                raise Unfit(f"The session {line['session']} is here already, with other messages.")
            return not known(row, sql.message_line, line, f"The message {line['id']} of {line['session']}")
        title = words_of(at.line["title"]) or None
        kept = {name: line[name] for name in ("version", "role", "content", "captured")}
        sessions.ADD_MESSAGE.do(
            self._driver, owner=self._owner, session_n=at.number, native_id=line["id"], position=place,
            timestamp=line.get("timestamp"), covered=False, content_length=len(line["content"]),
            scope=scope_of(self._owner, at.line["agent"], line["role"]), words=indexed(line["content"]),
            heading=None if place else title, **kept,
        )  # fmt: skip
        return True

    def close(self) -> None:
        """The session that was begun, if any, is whole."""
        at, self._open = self._open, None
        if at is None:
            return
        if at.expected is not None:
            if at.expected != at.count:
                raise Unfit(f"The session {at.line['id']} is here already, with {at.expected} messages.")
            return
        if at.count:
            since = at.line.get("uncovered_since") or to_text(now())  # it goes when all turn out to be covered
            FILLED.do(self._driver, number=at.number, message_count=at.count, uncovered=at.count, waiting=since)
            session_outbox.PUT.do(self._driver, session_n=at.number, owner=self._owner)


def _alone(row: Row) -> Line:
    # Since when it is uncovered depends on summaries, which are lines of their own.
    return {**sql.session_line(row), "uncovered_since": None}
