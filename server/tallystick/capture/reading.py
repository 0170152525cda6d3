"""One session on its way from a transcript: its header as it becomes known, and its messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from .names import message_name, session_name
from .records import CapturedMessage, CapturedSession, Event, Reason, Role, Whole, Withdrawn, version_of
from .texts import Texts, cut

MESSAGE = 512 * 1024
"""Characters kept of a message, all its texts together: as JSON it fits into a request whatever its characters are."""
TITLE = 120


class Reading(Texts):
    """One run over one session.

    `again` says that the source was read before, by a run that may have given what this one does not. `ids` are those of
    the messages that stand, where they are wanted for `whole`; None otherwise, as they may be many.

    Args:
        injected: tags of blocks that this client puts into prompts, besides those that are taken out everywhere.
        resumed: whether the head of the source is not read: then the first prompt seen is no title, and the first time
            not when the session was created.
    """

    def __init__(
        self, agent: str, native_id: str, source: Path, *, injected: tuple[str, ...] = (), resumed: bool = False
    ) -> None:
        super().__init__(injected)
        self.again = False
        self.ids: set[str] | None = None
        self._known = CapturedSession(agent=agent, native_id=session_name(native_id), source=source)
        self._given: CapturedSession | None = None
        self._first: datetime | None = None
        self._last: datetime | None = None
        self._resumed = self._titled = resumed

    def learn(self, **facts: Any) -> None:
        """Header fields that have become known; None and what does not fit are passed over."""
        known: dict[str, Any] = {}
        for name, value in facts.items():
            if isinstance(value, datetime):
                known[name] = value
            elif isinstance(value, str) and value.strip():
                known[name] = session_name(value) if name in ("native_id", "parent") else self._fact(value)
        if "title" in known:
            known["title"] = " ".join(known["title"].split())[:TITLE]
            self._titled = True
        if known:
            self._known = replace(self._known, **known)

    @property
    def native_id(self) -> str:
        """The client's id of the session."""
        return self._known.native_id

    @property
    def has_cwd(self) -> bool:
        """Whether the folder is known: the first one counts, an agent may change it on its way."""
        return self._known.cwd is not None

    def at(self, time: datetime | None) -> None:
        """A record's time: the first is when the session was created (if its head is read), the last when updated."""
        if time is not None:
            if self._first is None:
                self._first = time
            if self._last is None or time > self._last:
                self._last = time

    def message(
        self, native_id: str, role: Role, parts: list[str], time: datetime | None = None, parent: Any = None
    ) -> Iterator[CapturedSession | CapturedMessage]:
        """The message made of the parts that are not empty, after the header if that was not given yet."""
        content = "\n".join(part for part in parts if part).strip()
        redacted, self._redacted = tuple(sorted(self._redacted.items())), Counter()
        told, self._told = self._told, False
        if not content:
            if not told:  # else it has been said why nothing is left
                self.skip(Reason.EMPTY)
            return
        if len(content) > MESSAGE:
            self.skip(Reason.CUT)
            content = cut(content, MESSAGE)
        self.at(time)
        if role == "user" and not self._titled:
            self.learn(title=content[: TITLE * 4])
        yield from self._open()
        self.keep(native_id)
        yield CapturedMessage(
            id=message_name(native_id),
            role=role,
            content=content,
            version=version_of(role, content),
            timestamp=time,
            parent=message_name(parent) if isinstance(parent, str) else None,
            redacted=redacted,
        )

    def keep(self, native_id: str) -> None:
        """A message stands, though it may be one that cannot be read now."""
        if self.ids is not None:
            self.ids.add(message_name(native_id))

    def withdraw(self, native_id: str) -> Iterator[CapturedSession | Withdrawn]:
        """A message has been taken back. Nothing where none can have been given, in this run or an earlier one."""
        if self._given is None and not self.again:
            return
        yield from self._open()
        native_id = message_name(native_id)
        if self.ids is not None:
            self.ids.discard(native_id)
        yield Withdrawn(self.native_id, native_id)

    def whole(self) -> Iterator[CapturedSession | Whole]:
        """The messages that stand are all that the session has now."""
        yield from self._open()
        yield Whole(self.native_id, frozenset(self.ids or ()))

    def close(self) -> Iterator[Event]:
        """The header if it tells something that was not given yet, then the counts.

        A source without a message has no session; a later part of one may bring no message, and yet a title.
        """
        header = self._header()
        if header != self._given and (self._given is not None or (self._resumed and (header.title or header.updated))):
            yield header
        yield from self.counts()

    def _open(self) -> Iterator[CapturedSession]:
        """The header, if it was not given yet."""
        if self._given is None:
            self._given = self._header()
            yield self._given

    def _header(self) -> CapturedSession:
        known, last = self._known, self._last
        created = known.created or (None if self._resumed else self._first)
        updated = max(known.updated, last) if known.updated and last else known.updated or last
        return replace(known, created=created, updated=updated)
