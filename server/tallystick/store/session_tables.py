"""The tables of sessions and tasks, beside those of tables.py and by the same rules.

The full text of messages has no table of its own: the view message_texts shows the index a message's text, which is
its content or, where the tokenizer alone would not find all that is in it, its folded copy in `words`.
"""

from __future__ import annotations

from sqlalchemy import Index, LargeBinary, Text, UniqueConstraint
from sqlmodel import Field

from .tables import TABLES, Base

__all__ = ["TABLES"]


class Session(Base, table=True):
    """A session. `waiting` says since when it has messages that no summary covers; `titled` and `timed` whether its client gave
    a title and any time, which are made of its messages otherwise; `folded` is for literal search."""

    __tablename__ = "sessions"
    __table_args__ = (
        UniqueConstraint("owner", "agent", "native_id"),
        Index("ix_sessions_page", "owner", "created", "id"),
        Index("ix_sessions_active", "owner", "updated", "id"),
        Index("ix_sessions_native", "owner", "native_id"),
        Index("ix_sessions_waiting", "owner", "waiting"),
        {"sqlite_autoincrement": True},
    )

    n: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True)
    owner: int
    agent: str
    native_id: str
    title: str
    cwd: str | None = None
    created: str
    updated: str
    message_count: int
    uncovered: int
    waiting: str | None = None
    titled: bool
    timed: bool
    folded: str = Field(sa_type=Text)


class Message(Base, table=True):
    """A message. The long columns come last, so that the others are read without them.

    `heading` is the session's title, folded, on its first message: by it a session is found by its title.
    """

    __tablename__ = "messages"
    __table_args__ = (
        UniqueConstraint("session_n", "native_id"),
        Index("ix_messages_position", "session_n", "position"),
        {"sqlite_autoincrement": True},  # n is never given out twice: the full text hangs on it
    )

    n: int | None = Field(default=None, primary_key=True)
    owner: int
    session_n: int = Field(foreign_key="sessions.n")
    native_id: str
    position: int
    version: str
    role: str
    timestamp: str | None = None
    captured: str
    covered: bool
    content_length: int
    scope: str
    heading: str | None = Field(default=None, sa_type=Text)
    words: str | None = Field(default=None, sa_type=Text)
    content: str = Field(sa_type=Text)


class Link(Base, table=True):
    """A link from one session to another."""

    __tablename__ = "session_links"
    __table_args__ = (UniqueConstraint("source_n", "target_n", "kind"), Index("ix_session_links_target", "target_n"))

    id: str = Field(primary_key=True)
    owner: int = Field(index=True)
    source_n: int = Field(foreign_key="sessions.n")
    target_n: int = Field(foreign_key="sessions.n")
    kind: str
    created: str


class Coverage(Base, table=True):
    """One name in a summary's `covered`: of a message by its id or version. `version` is what it stood for; NULL while the
    session has no such message."""

    __tablename__ = "coverage"
    __table_args__ = (Index("ix_coverage_version", "session_n", "version"),)

    session_n: int = Field(primary_key=True, foreign_key="sessions.n")
    token: str = Field(primary_key=True)
    memory_id: str = Field(primary_key=True, foreign_key="memories.id", index=True)
    version: str | None = None


class LeaseRow(Base, table=True):
    """A claimed task."""

    __tablename__ = "leases"

    owner: int = Field(primary_key=True)
    task_id: str = Field(primary_key=True)
    claimed_by: str
    expires: str = Field(index=True)


class Alike(Base, table=True):
    """Two memories that were nearly alike when the later of them was embedded; a < b."""

    __tablename__ = "alike"
    __table_args__ = (Index("ix_alike_found", "owner", "found"),)

    a: str = Field(primary_key=True, foreign_key="memories.id")
    b: str = Field(primary_key=True, foreign_key="memories.id", index=True)
    owner: int
    similarity: float
    found: str


class SessionVector(Base, table=True):
    """The vector of one window of turns; `digest` tells which text it is of."""

    __tablename__ = "session_vectors"
    __table_args__ = (
        UniqueConstraint("session_n", "model", "digest"),
        Index("ix_session_vectors_owner", "owner", "model", "session_n"),
        {"sqlite_autoincrement": True},
    )

    n: int | None = Field(default=None, primary_key=True)
    session_n: int = Field(foreign_key="sessions.n")
    owner: int
    digest: str
    model: str
    vector: bytes = Field(sa_type=LargeBinary)


class SessionOutbox(Base, table=True):
    """Sessions whose windows may have changed since they were embedded. Apart from the memories' outbox, which goes first."""

    __tablename__ = "session_outbox"

    session_n: int = Field(primary_key=True)
    owner: int
    seq: int = Field(index=True)
