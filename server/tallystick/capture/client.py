"""The one form that the readers of all clients have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .records import CapturedMessage, CapturedSession, Event, Withdrawn


class Read(Protocol):
    def __call__(self, source: Path, *, resume: int = 0) -> Iterator[Event]: ...


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
                    commit(batch, mark)          # one transaction: messages, withdrawals and the mark
                    batch.clear()
                case _:
                    batch.append(event)

    Reached comes about every MiB of source and once at the end, so a batch is small whatever the source is, and a run
    that was killed goes on from the last mark that was committed. Give the same mark to the next run after the file has
    grown: it reads from the beginning of the last turn, whose messages come again with their ids and versions. A store
    that knows messages by (session, id) and leaves those of the same version alone therefore never counts one twice,
    and reading from 0 again changes nothing either. A file that became shorter or other is read from 0.

    Raises (while it is read): Unreadable.
    """

    name: str
    roots: Callable[[Path, Mapping[str, str]], list[Path]]
    find: Callable[[Path, Mapping[str, str]], Iterator[Path]]
    read: Read
    knows: Callable[[Path], bool]
    """Whether a path looks like a transcript of this client, by its name and its first record."""


def standing(events: Iterable[Event]) -> dict[str, list[str]]:
    """The ids of the messages that stand when all events are taken, by session and in order; texts are not kept.

    For a store that sets the order of a session at once: after a run that withdrew something, give it the order of
    `standing(client.read(path))`.
    """
    sessions: dict[str, dict[str, None]] = {}
    session = ""
    for event in events:
        match event:
            case CapturedSession(native_id=session):
                pass
            case CapturedMessage(id=native):
                sessions.setdefault(session, {})[native] = None
            case Withdrawn(session=of, id=native):
                sessions.get(of, {}).pop(native, None)
    return {native: list(ids) for native, ids in sessions.items()}
