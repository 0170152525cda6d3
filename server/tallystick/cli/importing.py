"""Transcripts into sessions: streams a source through its reader and posts it in batches; goes on where it stopped."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..capture import CapturedMessage, CapturedSession, Client, Event, Reached, Skipped, Unreadable, Withdrawn

if TYPE_CHECKING:
    from tallystick_client import AsyncTallystick
    from tallystick_client.models import MessageInput

BATCH_MESSAGES = 500
BATCH_BYTES = 2 * 1024 * 1024  # of text a call; a request may have 4 MiB


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


class Marks:
    """How far each source was read: capture/marks.json in the home, written after each batch that was kept."""

    def __init__(self, home: Path) -> None:
        self._path = home / "capture" / "marks.json"
        self._marks: dict[str, int] = json.loads(self._path.read_text("utf-8")) if self._path.exists() else {}

    def of(self, source: Path) -> int:
        """The mark of a source; 0 where it was never read."""
        return self._marks.get(str(source), 0)

    def set(self, source: Path, mark: int) -> None:
        """Note a mark, whole or not at all."""
        self._marks[str(source)] = mark
        self._path.parent.mkdir(parents=True, exist_ok=True)
        draft = self._path.with_suffix(".new")
        draft.write_text(json.dumps(self._marks), "utf-8")
        draft.replace(self._path)


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
        client: where sessions are posted; None only counts (a dry run).
        reader: of the client whose transcript it is.
        source: the file or database.
        marks: read and moved on.
        summary: is added to.
        progress: is told how many bytes have been looked at.
    """
    batch: list[Event] = []
    header: CapturedSession | None = None
    try:
        for event in reader.read(source, resume=marks.of(source) if client is not None else 0):
            if isinstance(event, Skipped):
                summary.skipped[event.reason.value] += event.count
            elif isinstance(event, Reached):
                header = await _keep(client, batch, header, summary)
                batch.clear()
                if client is not None:
                    marks.set(source, event.resume)
                progress(event.position)
            else:
                batch.append(event)
        await _keep(client, batch, header, summary)
        summary.sources += 1
    except Unreadable as error:
        summary.unreadable.append(str(error))


async def _keep(
    client: AsyncTallystick | None, batch: list[Event], header: CapturedSession | None, summary: Summary
) -> CapturedSession | None:
    """Post one batch, session by session; gives the header that the next batch goes on with."""
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
    return header


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
        size = len(message.content.encode())
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
