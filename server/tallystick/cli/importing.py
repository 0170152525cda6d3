"""Transcripts into sessions: streams a source through its reader and posts it in batches; goes on where it stopped."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..capture import CapturedMessage, CapturedSession, Client, Event, Reached, Skipped, Unreadable, Withdrawn
from .marks import Marks, Moved

if TYPE_CHECKING:
    from tallystick_client import AsyncTallystick
    from tallystick_client.models import MessageInput

BATCH_MESSAGES = 500
BATCH_BYTES = 2 * 1024 * 1024  # of texts a call, as JSON; a request may have 4 MiB


@dataclass
class Summary:
    """What an import came to, for the closing words."""

    sources: int = 0
    sessions: set[str] = field(default_factory=set)
    new: int = 0
    known: int = 0
    changed: int = 0
    removed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    redacted: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "sources": self.sources,
            "sessions": len(self.sessions),
            "new": self.new,
            "known": self.known,
            "changed": self.changed,
            "removed": self.removed,
            "skipped": dict(self.skipped),
            "redacted": dict(self.redacted),
            "unreadable": self.unreadable,
        }

    def text(self, *, dry: bool = False) -> str:
        """As words for a person; `dry`: nothing was kept, so that nothing is known of what is new."""
        kept = (
            f"{self.new} messages. Nothing was kept."
            if dry
            else f"{self.new} messages new, {self.known} known, {self.changed} changed, {self.removed} withdrawn."
        )
        lines = [f"{len(self.sessions)} sessions in {self.sources} files: {kept}"]
        for title, counts in (("Left out or altered", self.skipped), ("Secrets taken out", self.redacted)):
            if counts:
                lines.append(f"{title}: {', '.join(f'{name} {number}' for name, number in counts.most_common())}.")
        return "\n".join(lines)


async def import_source(
    client: AsyncTallystick | None,
    reader: Client,
    source: Path,
    marks: Marks,
    summary: Summary,
    progress: Callable[[int], None] = lambda position: None,
) -> None:
    """Read one source from its mark on and keep what it holds.

    Args:
        client: where sessions are posted; None only counts, from the beginning (a dry run).
        reader: of the client whose transcript it is.
        source: the file or database.
        marks: read and moved on; where another process moves this one's meanwhile, the source is read on from there.
        summary: is added to.
        progress: is told how many bytes have been looked at.

    Raises:
        TallystickError: the server cannot be reached or keeps nothing now. What it refuses for good is noted in the summary.
    """
    from tallystick_client.errors import Conflict, InvalidParams, PayloadTooLarge

    while True:
        try:
            await _read(client, reader, source, marks, summary, progress)
            summary.sources += 1
        except Moved:
            continue
        except Unreadable as error:
            summary.unreadable.append(str(error))
        except (InvalidParams, Conflict, PayloadTooLarge) as error:
            summary.unreadable.append(f"{source} is kept up to where the server refused it: {error.message}")
        return


async def _read(
    client: AsyncTallystick | None,
    reader: Client,
    source: Path,
    marks: Marks,
    summary: Summary,
    progress: Callable[[int], None],
) -> None:
    batch: list[Event] = []
    header: CapturedSession | None = None
    mark = marks.of(source) if client is not None else 0
    for event in reader.read(source, resume=mark):
        if not isinstance(event, Reached):
            batch.append(event)
            continue
        with nullcontext() if client is None else marks.move(source, mark, event.resume):
            header = await _keep(client, batch, header, summary)
        mark = event.resume
        batch.clear()
        progress(event.position)


async def _keep(
    client: AsyncTallystick | None, batch: list[Event], header: CapturedSession | None, summary: Summary
) -> CapturedSession | None:
    """Post one batch, session by session; gives the header that the next batch goes on with."""
    for event in batch:
        if isinstance(event, Skipped):
            summary.skipped[event.reason.value] += event.count
    for found, messages, withdrawn in _by_session(batch, header):
        header = found
        summary.sessions.add(f"{found.agent} {found.native_id}")
        for message in messages:
            summary.redacted.update(dict(message.redacted))
        if client is None:
            summary.new += len(messages)
            continue
        for some in _chunks(messages):
            receipt = await client.sessions.capture_session(**_capture(found, some))
            summary.new += receipt.new
            summary.known += receipt.known
            summary.changed += receipt.changed
        if withdrawn:
            gone = await client.sessions.append_messages(session=receipt.session, messages=[], withdrawn=withdrawn)
            summary.removed += gone.removed
        if found.parent is not None:
            await _link(client, found.parent, receipt.session)
    return header


async def _link(client: AsyncTallystick, parent: str, session: str) -> None:
    """Make a sub-agent's session findable from its parent's, where that has been captured."""
    from tallystick_client.errors import Conflict, NotFound

    with suppress(NotFound, Conflict):  # not captured; or several agents have a session of this name
        await client.sessions.memvault_session_link(from_=parent, to=session, kind="reference")


def _by_session(
    batch: list[Event], header: CapturedSession | None
) -> Iterator[tuple[CapturedSession, list[CapturedMessage], list[str]]]:
    messages: list[CapturedMessage] = []
    withdrawn: list[str] = []
    for event in batch:
        if isinstance(event, CapturedSession):
            if header is not None and header.native_id != event.native_id and (messages or withdrawn):
                yield header, messages, withdrawn
                messages, withdrawn = [], []
            header = event
        elif isinstance(event, CapturedMessage):
            if event.id in withdrawn:
                withdrawn.remove(event.id)  # it is back in the conversation
            messages.append(event)
        elif isinstance(event, Withdrawn):
            messages = [message for message in messages if message.id != event.id]
            withdrawn.append(event.id)
    if header is not None and (messages or withdrawn or batch):
        yield header, messages, withdrawn


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
    yield chunk  # an empty one as well: a session without messages is kept, too


def _capture(session: CapturedSession, messages: list[CapturedMessage]) -> dict[str, Any]:
    given: dict[str, Any] = {
        "session": session.native_id,
        "agent": session.agent,
        "title": session.title[:1000] if session.title else None,
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
