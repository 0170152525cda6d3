"""Sessions: captured, paged, appended to, put into another order, erased. Everything is scoped to the owner in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ulid import ULID

from . import append as appending
from . import related, session_erase, session_outbox
from . import session_sql as sql
from .clock import now as present
from .clock import to_text
from .coverage import expect
from .errors import Conflict, NotFound
from .session_records import (
    Appended,
    Arranged,
    MessageDraft,
    MessageRecord,
    SessionDraft,
    SessionFilter,
    SessionRecord,
)

if TYPE_CHECKING:
    from .embedding import FloatArray
    from .unit import Unit

EVERY = SessionFilter()
BATCH = 1000  # messages a unit of work: some tens of milliseconds in which no other write has its turn


class Sessions:
    """The owner's sessions and their messages."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._driver = unit.driver
        self._owner = unit.owner

    def upsert(self, draft: SessionDraft, now: datetime | None = None) -> tuple[SessionRecord, bool]:
        """Make a session known, or bring a known one up to date.

        Returns:
            The session, and whether it was made now.
        """
        at = now or present()
        row = sql.BY_KEY.one(self._driver, owner=self._owner, agent=draft.agent, native_id=draft.native_id)
        if row is None:
            return self._make(draft, at), True
        before = sql.record(row)
        title = before.title if draft.title is None else draft.title
        after = before._replace(
            title=title,
            cwd=draft.cwd or before.cwd,
            created=min(before.created, draft.created or before.created),
            updated=max(before.updated, draft.updated or before.updated),
        )
        titled, timed = _given(draft)
        if after != before or titled or timed:
            number = self._number(after.id)
            sql.CHANGE.do(
                self._driver, number=number, title=after.title, cwd=after.cwd, created=to_text(after.created),
                updated=to_text(after.updated), folded=sql.folded(after.title, after.cwd, after.native_id), titled=titled, timed=timed,
            )  # fmt: skip
            if title != before.title:
                appending.retitle(self._driver, number, title)
                session_outbox.put(self._unit, number)
        return after, False

    def get(self, name: str, agent: str | None = None) -> SessionRecord | None:
        """The session of that id, or else of that native id; None where this owner has none.

        Args:
            name: id or native id.
            agent: decides where sessions of several agents have the same native id.

        Raises:
            Conflict: it is the native id of several sessions, and `agent` does not decide.
        """
        row = sql.BY_ID.one(self._driver, owner=self._owner, name=name)
        if row is not None:
            return sql.record(row)
        found = [sql.record(row) for row in sql.BY_NATIVE_ID.all(self._driver, owner=self._owner, name=name)]
        if len(found) > 1:
            found = [one for one in found if one.agent == agent]
            if not found:
                raise Conflict(f"{name} is the native id of sessions of several agents: name the one by its id.")
        return found[0] if found else None

    def get_many(self, session_ids: Sequence[str]) -> list[SessionRecord]:
        """The sessions of those ids (not native ids) in that order; unknown ones are left out."""
        found = sql.many(self._driver, self._owner, session_ids)
        return [found[session_id] for session_id in session_ids if session_id in found]

    def page(
        self, where: SessionFilter = EVERY, limit: int = 20, after: tuple[datetime, str] | None = None
    ) -> list[SessionRecord]:
        """Sessions newest first, by (created, id) downwards; `after` is (created, id) of the last one already had."""
        return sql.page(self._driver, self._owner, where, limit, after)

    def count(self, where: SessionFilter = EVERY) -> int:
        """How many there are."""
        return sql.count(self._driver, self._owner, where)

    def latest(self, limit: int, agent: str | None = None) -> list[SessionRecord]:
        """The sessions last active, latest first; of one agent where named."""
        return sql.latest(self._driver, self._owner, limit, agent, None)

    def active(self, agent: str, since: datetime) -> list[SessionRecord]:
        """Sessions of an agent that were active at or after a time, latest first; two at most: enough to see whether it is one."""
        return sql.latest(self._driver, self._owner, 2, agent, since)

    def append(self, session_id: str, messages: Iterable[MessageDraft], at: datetime | None = None) -> Appended:
        """Add messages at the end of a session.

        A message whose id the session has is not added again: with the same role and text it is counted as known, otherwise it
        gets its new version, in its place. `messages` is consumed in batches, so any number takes the same memory; who has
        many should still spread them over several units of work of about `BATCH` each, so that other writes get their turn.

        Args:
            session_id: which session.
            messages: in order.
            at: the time of messages that bring none, where they are said now; None leaves them without.

        Raises:
            NotFound: no such session of this owner.
        """
        return appending.append(self._unit, session_id, messages, at)

    def arrange(self, session_id: str, message_ids: Iterable[str]) -> Arranged:
        """Put a session's messages into another order: that of the ids. Messages not named are removed (a branch that was left,
        a roll-back); ids the session does not have are passed over.

        Raises:
            NotFound: no such session of this owner.
        """
        return appending.arrange(self._unit, session_id, message_ids)

    def withdraw(self, session_id: str, message_ids: Iterable[str]) -> Arranged:
        """Remove messages that were rewound or rolled back; ids the session does not have are passed over.

        Raises:
            NotFound: no such session of this owner.
        """
        return appending.withdraw(self._unit, session_id, message_ids)

    def messages(
        self,
        session_id: str,
        *,
        limit: int = 50,
        offset: int = 0,
        start: str | None = None,
        content_chars: int | None = None,
    ) -> list[MessageRecord]:
        """Messages of a session in order. The time this takes depends on `limit` alone.

        Args:
            session_id: which session.
            limit: how many at most.
            offset: how many to pass over, from the beginning or from `start`.
            start: id of the message to begin with.
            content_chars: only so many characters of each content; None for all of it.

        Raises:
            NotFound: no such session of this owner, or no message `start` in it.
        """
        number = self._number(session_id)
        if start is not None:
            place = sql.PLACE.value(self._driver, number=number, message_id=start)
            if place is None:
                raise NotFound("message", start)
            offset += place
        return sql.read(self._driver, number, offset, limit, content_chars)

    def message(self, session_id: str, message_id: str) -> MessageRecord | None:
        """One message; None where the session has none of that id.

        Raises:
            NotFound: no such session of this owner.
        """
        number = self._number(session_id)
        place = sql.PLACE.value(self._driver, number=number, message_id=message_id)
        return None if place is None else sql.read(self._driver, number, place, 1, None)[0]

    def related(
        self, text: str, limit: int, vector: FloatArray | None = None, agent: str | None = None
    ) -> list[tuple[str, float]]:
        """Sessions that are about a text, by its words and, where its vector is given, by meaning.

        Args:
            text: what about.
            limit: how many at most.
            vector: of the text, from `Unit.embed`.
            agent: only sessions of this agent.

        Returns:
            (session id, relevance 0 to 1), best first.
        """
        return related.related(self._unit, text, limit, vector, agent)

    def erase(self, session_id: str) -> bool:
        """Remove a session with its messages and all that was made of them: full text, vectors, links, coverage, claims, operation
        rows. Memories stay: a summary is a record of its own. False where this owner has none of that id.
        """
        return session_erase.erase_session(self._unit, session_id)

    def _number(self, session_id: str) -> int:
        number: int | None = sql.NUMBER.value(self._driver, owner=self._owner, session_id=session_id)
        if number is None:
            raise NotFound("session", session_id)
        return number

    def _make(self, draft: SessionDraft, at: datetime) -> SessionRecord:
        created = draft.created or draft.updated or at
        made = SessionRecord(
            f"ses_{ULID()}",
            draft.agent,
            draft.native_id,
            draft.title or "",
            draft.cwd,
            created,
            draft.updated or created,
            0,
            0,
        )
        row = made._asdict() | {"created": to_text(made.created), "updated": to_text(made.updated)}
        folded = sql.folded(made.title, made.cwd, made.native_id)
        titled, timed = _given(draft)
        row |= {"owner": self._owner, "waiting": None, "titled": titled, "timed": timed, "folded": folded}
        sql.ADD.run(self._driver, row)
        expect(self._driver, self._owner, self._number(made.id), made.id, made.native_id)
        return self.get_many([made.id])[0]


def _given(draft: SessionDraft) -> tuple[bool, bool]:
    """Whether a draft gives a title, and any time."""
    return draft.title is not None, draft.created is not None or draft.updated is not None
