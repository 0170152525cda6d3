"""What a workspace holds. Attributes and methods have the names of the schema's fields, which graphql-core reads them by."""

from __future__ import annotations

import hashlib
import re
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from tests.linear.complexity import LARGEST_PAGE, PAGE
from tests.linear.refusals import argument, not_found

R = TypeVar("R")


class Info(Protocol):
    """What a resolver is told: here, whose rows it is about."""

    context: Workspace


def made_id(*parts: object) -> str:
    """A UUID in version 4's form that is the same in every run."""
    return str(uuid.UUID(bytes=hashlib.sha256("/".join(map(str, parts)).encode()).digest()[:16], version=4))


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def page(rows: list[Any], first: int | None = None, after: str | None = None) -> dict[str, Any]:
    """One page of a connection. A cursor is the id of the last row before it."""
    size = PAGE if first is None else first
    if not 0 < size <= LARGEST_PAGE:
        raise argument(f"first must be between 1 and {LARGEST_PAGE}.")
    start = 0
    if after is not None:
        start = next((place for place, row in enumerate(rows, 1) if row.id == after), 0)
        if not start:
            raise argument("after is not a cursor of this list.")
    nodes = rows[start : start + size]
    more = start + size < len(rows)
    return {"nodes": nodes, "pageInfo": {"hasNextPage": more, "endCursor": nodes[-1].id if nodes else None}}


@dataclass(kw_only=True, eq=False)
class Row:
    id: str


@dataclass(kw_only=True, eq=False)
class User(Row):
    name: str
    displayName: str
    email: str
    active: bool = True
    admin: bool = False
    app: bool = False
    guest: bool = False
    isAssignable: bool = True


@dataclass(kw_only=True, eq=False)
class Team(Row):
    key: str
    name: str
    description: str | None = None
    people: list[User] = field(default_factory=list)
    visibility: str = "public"
    timezone: str = "Europe/Berlin"
    issued: int = 0
    """The highest number an issue of it ever had."""

    def issueCount(self, info: Info) -> int:
        return sum(issue.team is self for issue in info.context.issues.values())

    def members(self, info: Info, **paging: Any) -> Any:
        return page(self.people, **paging)

    def states(self, info: Info, **paging: Any) -> Any:
        return page([state for state in info.context.states.values() if state.team is self], **paging)

    def labels(self, info: Info, **paging: Any) -> Any:
        return page([label for label in info.context.labels.values() if label.team is self], **paging)


@dataclass(kw_only=True, eq=False)
class State(Row):
    name: str
    type: str
    team: Team
    position: float
    color: str = "#95a2b3"
    description: str | None = None


@dataclass(kw_only=True, eq=False)
class Label(Row):
    name: str
    color: str = "#bec2c8"
    description: str | None = None
    isGroup: bool = False
    parent: Label | None = None
    team: Team | None = None


@dataclass(kw_only=True, eq=False)
class Project(Row):
    name: str
    inTeams: list[Team]
    description: str = ""
    content: str | None = None
    tags: list[Label] = field(default_factory=list)
    people: list[User] = field(default_factory=list)
    lead: User | None = None
    status: dict[str, str] = field(default_factory=dict)
    priority: int = 0
    progress: float = 0
    startDate: str | None = None
    targetDate: str | None = None
    createdAt: str = field(default_factory=now)
    updatedAt: str = field(default_factory=now)

    def slugId(self, info: Info) -> str:
        return self.id[:12]

    def url(self, info: Info) -> str:
        return f"https://linear.app/{info.context.urlKey}/project/{slug(self.name)}-{self.id[:12]}"

    def teams(self, info: Info, **paging: Any) -> Any:
        return page(self.inTeams, **paging)

    def members(self, info: Info, **paging: Any) -> Any:
        return page(self.people, **paging)

    def labels(self, info: Info, **paging: Any) -> Any:
        return page(self.tags, **paging)

    def issues(self, info: Info, **paging: Any) -> Any:
        return page([issue for issue in info.context.newest() if issue.project is self], **paging)


@dataclass(kw_only=True, eq=False)
class Issue(Row):
    title: str
    team: Team
    number: int
    state: State
    description: str | None = None
    priority: float = 0
    tags: list[Label] = field(default_factory=list)
    assignee: User | None = None
    creator: User | None = None
    project: Project | None = None
    parent: Issue | None = None
    cycle: dict[str, Any] | None = None
    dueDate: str | None = None
    estimate: float | None = None
    previousIdentifiers: list[str] = field(default_factory=list)
    createdAt: str = field(default_factory=now)
    updatedAt: str = field(default_factory=now)
    completedAt: str | None = None
    canceledAt: str | None = None

    @property
    def identifier(self) -> str:
        return f"{self.team.key}-{self.number}"

    @property
    def labelIds(self) -> list[str]:
        return [label.id for label in self.tags]

    def branchName(self, info: Info) -> str:
        return f"{info.context.viewer.displayName}/{self.identifier.lower()}-{slug(self.title)}"

    def url(self, info: Info) -> str:
        return f"https://linear.app/{info.context.urlKey}/issue/{self.identifier}/{slug(self.title)}"

    def labels(self, info: Info, **paging: Any) -> Any:
        return page(self.tags, **paging)

    def comments(self, info: Info, **paging: Any) -> Any:
        """Newest first, as Linear answers."""
        found = [comment for comment in info.context.comments.values() if comment.issue is self]
        return page(sorted(found, key=lambda comment: comment.createdAt, reverse=True), **paging)


@dataclass(kw_only=True, eq=False)
class Comment(Row):
    body: str
    issue: Issue
    user: User | None = None
    botActor: dict[str, str] | None = None
    externalUser: dict[str, str] | None = None
    parentId: str | None = None
    createdAt: str = field(default_factory=now)
    updatedAt: str = field(default_factory=now)
    editedAt: str | None = None
    resolvedAt: str | None = None

    def url(self, info: Info) -> str:
        return f"{self.issue.url(info)}#comment-{self.id[:8]}"


@dataclass(kw_only=True, eq=False)
class Attachment(Row):
    issue: Issue
    url: str
    title: str
    subtitle: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True)
class Workspace:
    """One organization: its rows by id, in the order they were made."""

    name: str
    urlKey: str
    users: dict[str, User] = field(default_factory=dict)
    teams: dict[str, Team] = field(default_factory=dict)
    states: dict[str, State] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    projects: dict[str, Project] = field(default_factory=dict)
    issues: dict[str, Issue] = field(default_factory=dict)
    comments: dict[str, Comment] = field(default_factory=dict)
    attachments: dict[str, Attachment] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return made_id(self.urlKey)

    @property
    def viewer(self) -> User:
        return next(iter(self.users.values()))

    def newest(self, by: str = "createdAt") -> list[Issue]:
        """The issues, the latest first."""
        return sorted(self.issues.values(), key=lambda issue: (getattr(issue, by), issue.id), reverse=True)

    def issue(self, id: str) -> Issue:
        """The issue with a UUID, or with an identifier: the present one, since one from before a move stops resolving."""
        if id in self.issues:
            return self.issues[id]
        return found("Issue", next((issue for issue in self.issues.values() if issue.identifier == id.upper()), None))


def found(entity: str, row: R | None) -> R:
    """The row, or Linear's answer where there is none."""
    if row is None:
        raise not_found(entity)
    return row


def slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:50]
