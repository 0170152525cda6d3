"""The one form that the readers of all clients have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .records import START, Event, Mark


class Read(Protocol):
    def __call__(self, source: Path, *, resume: Mark = START) -> Iterator[Event]: ...


@dataclass(frozen=True, slots=True)
class Client:
    """A program whose transcripts can be read.

    `roots(home, environ)` gives the folders in which it keeps transcripts, there or not: what to watch.

    `find(home, environ)` gives the paths of what it keeps, oldest first where names tell; nothing when there is none.

    `read(source, resume=…)` streams events (see records) and holds no more than one record of the source:

        batch = []
        for event in client.read(path, resume=mark):
            match event:
                case Reached(resume=mark):
                    commit(batch, mark)          # one transaction: what was given and the mark
                    batch.clear()
                case _:
                    batch.append(event)

    Reached comes about every MiB of source and once at the end, so a batch is small whatever the source is, and a run
    that was killed goes on from the last mark that was committed. Give the same mark to the next run after the file has
    grown: it reads from the beginning of the last turn, whose messages come again with their ids and versions. A store
    that knows messages by (session, id) and leaves those of the same version alone therefore never counts one twice,
    and reading from START again changes nothing either. A file that became shorter or another one is read from its
    beginning, and then told of as Whole; until that is done its marks stay what they were.

    Raises (while it is read): Unreadable.
    """

    name: str
    roots: Callable[[Path, Mapping[str, str]], list[Path]]
    find: Callable[[Path, Mapping[str, str]], Iterator[Path]]
    read: Read
    knows: Callable[[Path], bool]
    """Whether a path looks like a transcript of this client, by its name and its first record. Raises Unreadable."""
    distinct: Callable[[Iterable[Path]], Iterator[Path]] = iter
    """Of transcripts that lie together, those to be read: a client may keep one conversation in two forms."""
