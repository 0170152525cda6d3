"""What the readers of line files share: the loop over a file, and going back in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Self

from .lines import Line, advance, fingerprint, goes_on, lines, opened, parse
from .order import Move, Thread
from .reading import Reading
from .records import START, Event, Mark, Reached, Reason, Unreadable

PROGRESS = 1024 * 1024
"""Bytes of source between two marks."""
SWEEP = 1000
"""Withdrawals between two marks."""
TAIL = 256 * 1024
"""How much before the mark is looked at first for the record that a prompt follows."""
CALLS = 4096
"""Tool calls whose results are waited for."""


class LineReader(ABC):
    """A client's reader of one line file, from the byte `start` on.

    `mark` is where the last turn began, to resume from; `position` is how far the file was read. `thread` is the
    conversation so far and `tools` the names of tool calls by their ids; after a resume both begin at `start`, and the
    part before is read again only when somebody goes back there.
    """

    agent: ClassVar[str]
    prompt_tags: ClassVar[tuple[str, ...]] = ()
    near: ClassVar[bool] = True
    """Whether a part from the middle of a file on can be understood without what is before it."""

    def __init__(self, path: Path, start: int, native_id: str) -> None:
        self.path = path
        self.mark = START
        self.position = start
        self.thread = Thread()
        self.tools: dict[str, str] = {}
        self.reading = Reading(self.agent, native_id, path, injected=self.prompt_tags, resumed=start > 0)
        self._from = start  # where `thread` begins
        self._again: Mark | None = None  # while a file that was replaced is read anew: the mark it had

    @abstractmethod
    def take(self, record: dict[str, Any], line: Line) -> Iterator[Event]:
        """What a record gives."""

    def finish(self) -> Iterator[Event]:
        """What was held back, at the end of the file."""
        yield from ()

    @classmethod
    @abstractmethod
    def begin(cls, path: Path, start: int) -> Self:
        """The reader of a file, its session named."""

    @classmethod
    def stream(cls, source: Path, *, resume: Mark = START) -> Iterator[Event]:
        """The events of a file; see Client.read."""
        replaced = not goes_on(source, resume)
        start = told = 0 if replaced else resume.place
        with opened(source) as stream:
            advance(stream, start)
            reader = cls.begin(source, start)
            reader.mark = START if replaced else resume
            reader.reading.again = resume != START
            if replaced:
                reader._again, reader.reading.ids = resume, set()
            for line in lines(stream, start):
                reader.position = line.end
                if line.offset == 0:
                    reader.turn(line)
                record = reader.reading.record(line.data)
                if record is not None:
                    yield from reader.take(record, line)
                if line.end - told >= PROGRESS:
                    told = line.end
                    yield reader.reached()
            yield from reader.finish()
            yield from reader.reading.close()
            if reader.reading.ids:
                yield from reader.reading.whole()
            reader._again = None
            yield reader.reached()

    def turn(self, line: Line) -> None:
        """A turn begins with this line."""
        self.mark = Mark(line.offset, fingerprint(line.data) if line.data is not None else "")

    def reached(self) -> Reached:
        """How far what was given reaches."""
        return Reached(self._again or self.mark, self.position)

    def calls(self, call: Any, name: str) -> None:
        """A tool was called; its result names it by the id of the call."""
        self.tools[str(call)] = name
        if len(self.tools) > CALLS:
            del self.tools[next(iter(self.tools))]

    def called(self, call: Any) -> str | None:
        """The name of the tool that was called so, in this turn or an earlier one; None when no call is found."""
        key = str(call)
        if key not in self.tools:
            self.recall(lambda reader: key in reader.tools)
        return self.tools.get(key)

    def recall(self, has: Callable[[Self], bool]) -> None:
        """Makes the part before `start` known, as far back as is needed until this reader or that of the part `has` it."""
        for begin in (max(self._from - TAIL, 0), 0) if self.near else (0,):
            if not self._from or has(self):
                return
            past = type(self).begin(self.path, 0)
            for record, line in earlier(self.path, begin, self._from):
                for _ in past.take(record, line):
                    pass
            for _ in past.finish():
                pass
            if not begin or has(past):
                self.adopt(past)
                self._from = begin

    def adopt(self, past: Self) -> None:
        """Takes over what a reader of the same class made of the part before this one's."""
        past.thread.join(self.thread)
        self.thread = past.thread
        self.tools = past.tools | self.tools

    def moved(self, move: Move) -> Iterator[Event]:
        """Withdraws and gives again what going back changed; however much that is, marks keep batches small."""
        count = size = 0
        for run in move.withdrawn:
            for record, line in found(self.path, run.visible()):
                yield from self.reading.withdraw(self.name(record, line))
                count += 1
                if count % SWEEP == 0:
                    yield self.reached()
        for run, length in move.restored:
            for record, line in found(self.path, run.visible(length)):
                yield from self.give(record, line)
                size += line.end - line.offset
                if size >= PROGRESS:
                    size = 0
                    yield self.reached()

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
            try:
                record = parse(line.data)[0] if line is not None and line.data is not None else None
            except ValueError:
                record = None
            if line is None or not isinstance(record, dict):
                raise Unreadable(f"{path} changed while it was read; read it again")
            yield record, line
