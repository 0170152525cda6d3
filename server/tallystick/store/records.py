"""The records the store hands out and takes in. Times are aware and UTC.

Records read on the way of every request are named tuples: as immutable as a frozen dataclass, and ten times
cheaper to make, which shows on a page of fifty memories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypedDict

StatusFilter = Literal["active", "superseded", "archived", "all"]


class MemoryRecord(NamedTuple):
    """One memory in its current revision.

    `body` may be only its first characters where the caller asked for that; `body_length` (characters) tells.
    """

    id: str
    revision: str
    kind: str
    title: str
    summary: str
    body: str
    body_length: int
    tags: tuple[str, ...]
    status: str
    pending: bool
    agent: str
    author: str | None
    persona: str | None
    session: str | None
    conversation_id: str | None
    evidence: tuple[dict[str, Any], ...]
    covered: tuple[str, ...]
    parents: tuple[str, ...]
    billable: bool | None
    company_client: str | None
    client_project: str | None
    artifact_url: str | None
    user_query: str | None
    linear_issues: tuple[dict[str, Any], ...]
    superseded_by: str | None
    created: datetime
    updated: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDraft:
    """A memory to be made.

    Attributes:
        agent: the caller's agent.
        parents: current revisions of other memories, which this one supersedes.
        id: given only where a fixture or an import needs a fixed one.
        created: absent means now.
    """

    kind: str
    title: str
    summary: str
    body: str
    agent: str
    tags: Sequence[str] = ()
    pending: bool = False
    status: str = "active"
    author: str | None = None
    persona: str | None = None
    session: str | None = None
    conversation_id: str | None = None
    evidence: Sequence[Mapping[str, Any]] = ()
    covered: Sequence[str] = ()
    parents: Sequence[str] = ()
    billable: bool | None = None
    company_client: str | None = None
    client_project: str | None = None
    artifact_url: str | None = None
    user_query: str | None = None
    linear_issues: Sequence[Mapping[str, Any]] = ()
    id: str | None = None
    created: datetime | None = None


class MemoryChanges(TypedDict, total=False):
    """The fields of a memory that an update may replace; absent ones stay as they are."""

    kind: str
    title: str
    summary: str
    body: str
    tags: Sequence[str]
    pending: bool
    status: str
    author: str | None
    persona: str | None
    session: str | None
    conversation_id: str | None
    evidence: Sequence[Mapping[str, Any]]
    covered: Sequence[str]
    billable: bool | None
    company_client: str | None
    client_project: str | None
    artifact_url: str | None
    user_query: str | None
    linear_issues: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories of the owner count. All given conditions must hold.

    Attributes:
        status: one status, or "all".
        query: literal substring of title and body, NFKC- and case-folded; empty means any.
        tags: every one of them.
        kinds, agents: any of them; empty means all.
        pending: None for both.
        since, until: `created` at or after, and before.
    """

    status: StatusFilter = "active"
    query: str | None = None
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    pending: bool | None = None
    conversation_id: str | None = None
    persona: str | None = None
    since: datetime | None = None
    until: datetime | None = None


class RevisionRecord(NamedTuple):
    """One state a memory had, whole."""

    memory_id: str
    revision: str
    parents: tuple[str, ...]
    title: str
    summary: str
    body: str
    fields: dict[str, Any]
    agent: str
    author: str | None
    created: datetime


class PersonaRecord(NamedTuple):
    """A persona; the built-in ones were there from the start and may be changed like any other."""

    name: str
    definition: str
    communication_style: str
    behavioral_guidelines: str
    built_in: bool
    updated: datetime


class KeyRecord(NamedTuple):
    """An agent key without its secret. `revoked` is None while it works."""

    id: str
    user: str
    owner: int
    agent: str
    scopes: tuple[str, ...]
    created: datetime
    revoked: datetime | None


class OperationRecord(NamedTuple):
    """What is kept of a write done under an operation key. `answer` is JSON text without bodies and secrets."""

    id: str
    agent: str
    key: str
    name: str
    args_hash: str
    answer: str
    subject: str | None
    created: datetime
    expires: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which audit rows count; None means any. `since` is inclusive, `until` is not."""

    owner: int | None = None
    operation: str | None = None
    agent: str | None = None
    user: str | None = None
    since: datetime | None = None
    until: datetime | None = None


class AuditRecord(NamedTuple):
    """One write that was done: who, what, how it ended. Never holds text of a memory."""

    id: str
    time: datetime
    request_id: str
    owner: int
    user: str
    agent: str
    operation: str
    outcome: str
    duration_ms: float
    subject: str | None
