"""What the readers of line files share: the loop over a file, and going back in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from .lines import Line, lines, opened, parse, seek
from .order import Move, Thread
from .reading import Reading
from .records import Event, Reached, Reason, Unreadable, Withdrawn

PROGRESS = 1024 * 1024
"""Bytes of source between two marks."""
SWEEP = 1000
"""Withdrawals between two marks."""
TAIL = 256 * 1024
"""How much before the mark is looked at first for the record that a prompt follows."""


class LineReader(ABC):
    """A client's reader of one line file, from the byte `start` on.

    `turn` is where the last turn began, the offset to resume from; `position` is how far the file was read. `thread`
    is the conversation so far; after a resume it begins at `start`, and the part before is read again only when
    somebody goes back there.
    """

    agent: ClassVar[str]
    prompt_tags: ClassVar[tuple[str, ...]] = ()

    def __init__(self, path: Path, start: int, native_id: str) -> None:
        self.path = path
        self.start = start
        self.turn = start
        self.position = start
        self.thread = Thread()
        self.reading = Reading(self.agent, native_id, path, injected=self.prompt_tags, resumed=start > 0)
        self._from = start  # where `thread` begins

    @abstractmethod
    def take(self, record: dict[str, Any], line: Line) -> Iterator[Event]:
        """What a record gives."""

    def finish(self) -> Iterator[Event]:
        """What was held back, at the end of the file."""
        yield from ()

    @classmethod
    @abstractmethod
    def begin(cls, path: Path, start: int) -> LineReader:
        """The reader of a file, its session named."""

    @classmethod
    def stream(cls, source: Path, *, resume: int = 0) -> Iterator[Event]:
        """The events of a file; see Client.read."""
        with opened(source) as stream:
            start = told = seek(stream, resume)
            reader = cls.begin(source, start)
            for line in lines(stream, start):
                reader.position = line.end
                record = reader.reading.record(line.data)
                if record is not None:
                    yield from reader.take(record, line)
                if line.end - told >= PROGRESS:
                    told = line.end
                    yield Reached(reader.turn, line.end)
            yield from reader.finish()
            yield from reader.reading.close()
            yield Reached(reader.turn, reader.position)

    def recall(self, key: str | None) -> None:
        """Makes the part of the thread before `start` known as far as `key` needs it; None needs all of it."""
        for begin in (max(self._from - TAIL, 0), 0):
            if not self._from or (key is not None and self.thread.knows(key)):
                return
            if begin and key is None:
                continue
            past = type(self).begin(self.path, 0)
            for record, line in earlier(self.path, begin, self._from):
                for _ in past.take(record, line):
                    pass
            if not begin or (key is not None and past.thread.knows(key)):
                self.adopt(past)
                self._from = begin

    def adopt(self, past: Any) -> None:
        """Takes over what a reader of the same class made of the part before this one's."""
        past.thread.join(self.thread)
        self.thread = past.thread

    def moved(self, move: Move) -> Iterator[Event]:
        """Withdraws and gives again what going back changed; however much that is, marks keep batches small."""
        count = size = 0
        for run in move.withdrawn:
            for record, line in found(self.path, run.visible()):
                yield Withdrawn(self.reading.native_id, self.name(record, line))
                count += 1
                if count % SWEEP == 0:
                    yield Reached(self.turn, self.position)
        for run, length in move.restored:
            for record, line in found(self.path, run.visible(length)):
                yield from self.give(record, line)
                size += line.end - line.offset
                if size >= PROGRESS:
                    size = 0
                    yield Reached(self.turn, self.position)

    def name(self, record: dict[str, Any], line: Line) -> str:
        """The id of the message that a record gives."""
        return f"line-{line.offset}"

    def give(self, record: dict[str, Any], line: Line) -> Iterator[Event]:
        """The message of a record, the thread left as it is."""
        yield from ()

    def unplaced(self) -> None:
        self.reading.skip(Reason.LOST_REWIND)


def earlier(path: Path, start: int, stop: int) -> Iterator[tuple[dict[str, Any], Line]]:
    """The records between two offsets once more, quietly: they were counted when they were taken."""
    with opened(path) as stream:
        if start:
            stream.seek(start)
            start += len(stream.readline())
        for line in lines(stream, start, stop):
            try:
                record = parse(line.data)[0] if line.data is not None else None
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record, line


def found(path: Path, offsets: Iterator[int]) -> Iterator[tuple[dict[str, Any], Line]]:
    """The records that begin at these offsets, once more.

    Raises:
        Unreadable: there is no record any more where one was.
    """
    with opened(path) as stream:
        for offset in offsets:
            stream.seek(offset)
            line = next(lines(stream, offset), None)
            record = parse(line.data)[0] if line is not None and line.data is not None else None
            if line is None or not isinstance(record, dict):
                raise Unreadable(f"{path} changed while it was read; read it again")
            yield record, line
