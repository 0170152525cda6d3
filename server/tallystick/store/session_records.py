"""The records of sessions, their search and the tasks. Times are aware and UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

LinkKind = Literal["continuation", "branch", "reference"]
TaskKind = Literal["summarize", "consolidate", "index", "cleanup"]
Sort = Literal["relevance", "recent"]
SearchKind = Literal["session", "memory"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDraft:
    """A session as its client names it.

    Attributes:
        agent, native_id: together they tell the owner's sessions apart.
        title: None leaves a known title; a session that never got one takes the beginning of its first user message.
        created, updated: when it began and was last active by the client's own clock. A known session only grows: the
            earlier beginning and the later activity stay. None: when it was first captured; the latest message.
    """

    agent: str
    native_id: str
    title: str | None = None
    cwd: str | None = None
    created: datetime | None = None
    updated: datetime | None = None


class SessionRecord(NamedTuple):
    """One session.

    `uncovered` counts the messages that no summary covers.
    """

    id: str
    agent: str
    native_id: str
    title: str
    cwd: str | None
    created: datetime
    updated: datetime
    message_count: int
    uncovered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFilter:
    """Which sessions of the owner count. All given conditions must hold.

    Attributes:
        agent: of this agent.
        since: last active at or after.
        until: begun before.
        query: literal substring of title, working directory and native id, NFKC- and case-folded; empty means any.
    """

    agent: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    query: str | None = None


class MessageDraft(NamedTuple):
    """A message as its client has it. `id` is the client's own, unique within the session."""

    id: str
    role: str
    content: str
    timestamp: datetime | None = None


class MessageRecord(NamedTuple):
    """One message in its present version.

    Attributes:
        id: the client's own.
        version: hash of id, role and content: another text is another version.
        content: may be only its first characters where the caller asked for that; `content_length` (characters) tells.
        timestamp: None where the client keeps no times.
        position: 0 for the first message of the session, without gaps.
        covered: whether a summary covers this version.
    """

    id: str
    version: str
    role: str
    content: str
    content_length: int
    timestamp: datetime | None
    position: int
    covered: bool


class Appended(NamedTuple):
    """What came of appending: how many messages were new, known unchanged, and known with another text; the count after it."""

    new: int
    known: int
    changed: int
    message_count: int


class Arranged(NamedTuple):
    """What came of arranging: how many messages changed their place and how many were removed; the count after it."""

    moved: int
    removed: int
    message_count: int


class LinkRecord(NamedTuple):
    """A link from one session to another, both by id."""

    id: str
    source: str
    target: str
    kind: str
    created: datetime


class MessageHit(NamedTuple):
    """A message that was found. `session` is the session's id, `message` the message's own; score 0 to 1, relative to the best message."""

    session: str
    message: str
    role: str
    score: float
    snippet: str
    timestamp: datetime


class MemoryHit(NamedTuple):
    """An active memory that was found; score 0 to 1, relative to the best memory."""

    memory: str
    title: str
    kind: str
    pending: bool
    score: float
    snippet: str
    timestamp: datetime


Hit = MessageHit | MemoryHit


class Found(NamedTuple):
    """One page of a search.

    Attributes:
        hits: in the order asked for.
        total: how many there are on all pages together.
        interpreted: how the query was read, where it was no full-text expression; None where it was taken as it is.
    """

    hits: tuple[Hit, ...]
    total: int
    interpreted: str | None


class TaskRecord(NamedTuple):
    """Something to be done.

    Attributes:
        id: `summarize-<session>`, `consolidate-<memory>-<memory>`, `index` or `cleanup`.
        pending: how many messages, memories or rows it is about.
        session: of a summarize task, its id.
        memories: of a consolidate task, both ids.
        created: since when there is something to do.
        claimed_by, expires: the running lease, if any.
    """

    id: str
    kind: TaskKind
    pending: int
    priority: Literal["low", "normal", "high"]
    created: datetime
    session: str | None = None
    memories: tuple[str, ...] = ()
    claimed_by: str | None = None
    expires: datetime | None = None


class Lease(NamedTuple):
    """A claim that was won or renewed."""

    task_id: str
    claimed_by: str
    expires: datetime
