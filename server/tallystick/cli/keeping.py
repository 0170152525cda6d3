"""What readers tell, kept as sessions: a batch of events becomes a few requests of a bounded size."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..capture import CapturedMessage, CapturedSession, Event, Skipped, Whole, Withdrawn
from .summary import Summary

if TYPE_CHECKING:
    from tallystick_client import AsyncTallystick
    from tallystick_client.models import MessageInput

BATCH_MESSAGES = 500
BATCH_BYTES = 2 * 1024 * 1024  # of texts a call, as JSON; a request may have 4 MiB
BATCH_IDS = 1000  # withdrawn in a call, which may have 10,000
PAGE = 1000  # messages asked for at once


@dataclass
class Step:
    """Events of one session that come to the same in any order: nothing that is withdrawn is among the messages."""

    header: CapturedSession
    told: bool = False  # whether the header is news
    messages: dict[str, tuple[int, CapturedMessage]] = field(default_factory=dict)  # with when they were given
    withdrawn: dict[str, int] = field(default_factory=dict)  # and when
    whole: Whole | None = None

    @property
    def empty(self) -> bool:
        return not (self.told or self.messages or self.withdrawn or self.whole)

    def moves(self, native_id: str) -> bool:
        """Whether a message that was withdrawn comes back behind others; else it is where it was."""
        last = next(reversed(self.messages.values()), None)
        return native_id in self.withdrawn and last is not None and last[0] > self.withdrawn[native_id]


def steps(events: Iterable[Event], header: CapturedSession | None) -> Iterator[Step]:
    """A batch as steps to be taken one after the other.

    Args:
        events: of a reader, in order.
        header: of the session that they go on with.
    """
    step = None if header is None else Step(header)
    for number, event in enumerate(events):
        if isinstance(event, CapturedSession):
            if step is not None and not step.empty and step.header.native_id != event.native_id:
                yield step
                step = None
            step = step or Step(event)
            step.header, step.told = event, True
        if step is None:
            continue  # counts alone come before a header
        if isinstance(event, CapturedMessage):
            if step.moves(event.id):
                yield step
                step = Step(step.header)
            step.withdrawn.pop(event.id, None)
            given, _ = step.messages.get(event.id, (number, None))
            step.messages[event.id] = given, event
        elif isinstance(event, Withdrawn):
            step.messages.pop(event.id, None)
            step.withdrawn[event.id] = number
        elif isinstance(event, Whole):
            step.whole = event
            yield step
            step = Step(step.header)
    if step is not None and not step.empty:
        yield step


class Erased(Exception):
    """What is to be gone on with is not here any more."""


class Keeper:
    """Posts what one source tells.

    Args:
        client: where sessions are posted; None only counts.
        summary: is added to.
        rest: whether what is told goes on with a session that was captured before.
    """

    def __init__(self, client: AsyncTallystick | None, summary: Summary, *, rest: bool = False) -> None:
        self._client = client
        self._summary = summary
        self._rest = rest
        self._header: CapturedSession | None = None

    async def keep(self, batch: list[Event]) -> None:
        """Post one batch.

        Raises:
            TallystickError: the server refused it, or cannot be reached.
            Erased: the session that it goes on with has been erased; nothing was posted.
        """
        for event in batch:
            if isinstance(event, Skipped):
                self._summary.skipped[event.reason.value] += event.count
        for step in steps(batch, self._header):
            self._header = step.header
            if self._rest and self._client is not None:
                if not await _known(self._client, step.header):
                    raise Erased
                self._rest = False
            messages = [message for _, message in step.messages.values()]
            if self._client is None:
                self._count(step.header, messages)
                self._summary.new += len(messages)
            elif messages or await _known(self._client, step.header):
                self._count(step.header, messages)
                await self._post(self._client, step, messages)

    def _count(self, header: CapturedSession, messages: list[CapturedMessage]) -> None:
        self._summary.sessions.add(f"{header.agent} {header.native_id}")
        for message in messages:
            self._summary.redacted.update(dict(message.redacted))

    async def _post(self, client: AsyncTallystick, step: Step, messages: list[CapturedMessage]) -> None:
        for some in _chunks(messages):
            receipt = await client.sessions.capture_session(**_capture(step.header, some))
            self._summary.new += receipt.new
            self._summary.known += receipt.known
            self._summary.changed += receipt.changed
        removed = await self._withdraw(client, receipt.session, list(step.withdrawn))
        if step.whole is not None and receipt.message_count - removed > len(step.whole.ids):
            left = await _left(client, receipt.session, step.whole.ids)
            await self._withdraw(client, receipt.session, left)
        if step.header.parent is not None:
            await _link(client, step.header.parent, receipt.session)

    async def _withdraw(self, client: AsyncTallystick, session: str, ids: list[str]) -> int:
        removed = 0
        for start in range(0, len(ids), BATCH_IDS):
            some = ids[start : start + BATCH_IDS]
            gone = await client.sessions.append_messages(session=session, messages=[], withdrawn=some)
            removed += gone.removed
        self._summary.removed += removed
        return removed


async def _known(client: AsyncTallystick, header: CapturedSession) -> bool:
    """Whether a session has been captured: one without a message is not made."""
    from tallystick_client.errors import Conflict, NotFound

    try:
        await client.sessions.append_messages(session=header.native_id, messages=[])
    except NotFound:
        return False
    except Conflict:  # several agents have a session of this name; the header says whose it is
        return True
    return True


async def _left(client: AsyncTallystick, session: str, ids: frozenset[str]) -> list[str]:
    """The ids of the messages that a session is kept with and should not have."""
    left: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = await client.sessions.memvault_session_read(session=session, limit=PAGE, offset=offset)
        left += [message.id for message in page.messages if message.id is not None and message.id not in ids]
        offset = page.next_offset
    return left


async def _link(client: AsyncTallystick, parent: str, session: str) -> None:
    """Make a sub-agent's session findable from its parent's, where that has been captured."""
    from tallystick_client.errors import Conflict, NotFound

    with suppress(NotFound, Conflict):  # not captured; or several agents have a session of this name
        await client.sessions.memvault_session_link(from_=parent, to=session, kind="reference")


def _chunks(messages: list[CapturedMessage]) -> Iterator[list[CapturedMessage]]:
    chunk: list[CapturedMessage] = []
    weight = 0
    for message in messages:
        size = len(json.dumps(message.content, ensure_ascii=False).encode())  # as it is sent
        if chunk and (len(chunk) == BATCH_MESSAGES or weight + size > BATCH_BYTES):
            yield chunk
            chunk, weight = [], 0
        chunk.append(message)
        weight += size
    yield chunk  # an empty one as well: a session may only have another title


def _capture(session: CapturedSession, messages: list[CapturedMessage]) -> dict[str, Any]:
    given: dict[str, Any] = {
        "session": session.native_id,
        "agent": session.agent,
        "title": session.title,
        "cwd": session.cwd,
        "created": _time(session.created),
        "updated": _time(session.updated),
        "messages": [_message(message) for message in messages],
    }
    return {name: value for name, value in given.items() if value is not None}


def _message(message: CapturedMessage) -> MessageInput:
    from tallystick_client.models import MessageInput

    given = {"id": message.id, "role": message.role, "content": message.content}
    at = _time(message.timestamp)
    return MessageInput.model_validate(given if at is None else {**given, "timestamp": at})


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
