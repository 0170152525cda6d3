"""What the transcript readers give: a stream of six kinds of event, and the mark that a next run goes on from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Literal

Role = Literal["user", "assistant", "system", "tool"]


class Unreadable(Exception):
    """A source that cannot be read at all: not the client's, damaged, or gone. The text names the path and the cause."""

    def __init__(self, text: str) -> None:
        super().__init__(text.encode(errors="backslashreplace").decode())  # a path need not be UTF-8; what is told is


class Reason(StrEnum):
    """Why something of a transcript was not kept as it stood. The values are words for a closing summary."""

    NOT_JSON = "not JSON"
    NOT_A_RECORD = "not a record"
    TOO_LONG = "line over 32 MiB"
    UNKNOWN = "unknown type"
    HOUSEKEEPING = "no conversation"
    THINKING = "reasoning"
    INJECTED = "injected text"
    OWN_TOOL = "answers of our own tools"
    COMPACTION = "compaction summary"
    SIDECHAIN = "sub-agent inside its parent's file"
    REPEATED = "written twice"
    EMPTY = "nothing to show"
    CHARACTERS = "characters replaced by U+FFFD"
    CUT = "text cut"
    LOST_REWIND = "rewind to an unknown record"


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a next run goes on.

    `place` is a byte offset in a line file: where the last turn begins, so that a next run sees a turn whole (its first
    messages come again, same id and version). In a database it is a greatest time or row id, and the size of a document
    that is always written anew. `line` is the fingerprint of the line at that offset: where another one begins there, or
    none, the file is not the one that was read. It is empty where there is nothing to compare.
    """

    place: int = 0
    line: str = ""


START = Mark()
"""The mark of a source that was never read."""


@dataclass(frozen=True, slots=True)
class CapturedSession:
    """Header of the session that the messages after it belong to.

    It comes before all else of a session, and once more at the end when more has been learnt (title, updated).
    None means not known from what was read, never "none": a run that resumed does not see the head of the file, so a
    store keeps what it has where a field is None. `parent` is the native id of the session whose sub-agent this is.
    """

    agent: str
    native_id: str
    source: Path
    title: str | None = None
    cwd: str | None = None
    created: datetime | None = None
    updated: datetime | None = None
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class CapturedMessage:
    """One message as a person saw it.

    `id` is the client's own where it writes one, else `line-<byte offset>`, which appending never changes. `version` is
    a hash of role and content: an id that comes again with another version was rewritten by its client and takes the
    place it had. `parent` is the native id of what it followed, which need not have been captured. `redacted` says how
    many secrets of which kind were taken out of `content`.
    """

    id: str
    role: Role
    content: str
    version: str
    timestamp: datetime | None = None
    parent: str | None = None
    redacted: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A message given earlier, now or in an earlier run, that its user has rewound or rolled back since.

    What came after it is withdrawn as well: people go back. It may name a message that was never given, and may come
    twice; both mean nothing. A message given again after it is back in the conversation, at its new place.
    """

    session: str
    id: str


@dataclass(frozen=True, slots=True)
class Whole:
    """The messages that a session has now are these and no others: what a store has besides is withdrawn.

    It comes after the messages, and only of a source that was read before; see order.py, rule 7.
    """

    session: str
    ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class Skipped:
    """How many of what was left out or altered; `detail` names it more closely, such as an unknown record type."""

    reason: Reason
    count: int = 1
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Reached:
    """All before this has been given: commit the batch together with `resume`, and pass that to the next run.

    `position` is how many bytes have been looked at, for a progress bar (0 where the source has no such measure).
    """

    resume: Mark
    position: int = 0


Event = CapturedSession | CapturedMessage | Withdrawn | Whole | Skipped | Reached


def version_of(role: Role, content: str) -> str:
    """The version of a message: equal exactly when role and content are."""
    return hashlib.blake2b(f"{role}\0{content}".encode(), digest_size=16).hexdigest()
