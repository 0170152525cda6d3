"""The tables, as SQLModel classes: what the migrations must have made (a test compares the two).

Times are ISO text in UTC with microseconds and Z, so that they sort as text and read the same in every engine; lists are
JSON text. Full-text tables are no SQLModel's business: they are made in the migration and kept by fulltext.py.
"""

from __future__ import annotations

from sqlalchemy import Index, LargeBinary, MetaData, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel


class Base(SQLModel):
    """Keeps the store's tables apart from any other SQLModel table in the process."""

    metadata = MetaData()


class User(Base, table=True):
    """A user, known by name outside and by number inside."""

    __tablename__ = "users"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    created: str


class Key(Base, table=True):
    """An agent key; of the secret only the hash."""

    __tablename__ = "keys"

    id: str = Field(primary_key=True)
    owner: int = Field(foreign_key="users.id", index=True)
    agent: str
    scopes: str
    secret_hash: str
    created: str
    revoked: str | None = None


class Memory(Base, table=True):
    """A memory: what lists and filters need. Its text is in the revision it points to."""

    __tablename__ = "memories"
    __table_args__ = (
        Index("ix_memories_page", "owner", "created", "id"),
        Index("ix_memories_conversation", "owner", "conversation_id", "created", "id"),
        Index("ix_memories_revision", "owner", "revision"),
        Index("ix_memories_session", "owner", "session"),
        Index(
            "ix_memories_superseded",
            "owner",
            "superseded_by",
            sqlite_where=text("superseded_by IS NOT NULL"),
            postgresql_where=text("superseded_by IS NOT NULL"),
        ),
        {"sqlite_autoincrement": True},  # n is never given out twice: the full text hangs on it
    )

    n: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True)
    owner: int
    revision: str
    kind: str
    status: str
    pending: bool
    agent: str
    author: str | None = None
    body_length: int
    tags: str
    session: str | None = None
    conversation_id: str | None = None
    persona: str | None = None
    billable: bool | None = None
    company_client: str | None = None
    client_project: str | None = None
    artifact_url: str | None = None
    user_query: str | None = Field(default=None, sa_type=Text)
    evidence: str
    covered: str
    linear_issues: str
    superseded_by: str | None = None
    created: str
    updated: str


class Revision(Base, table=True):
    """One state of a memory, whole. `fields` holds what the memory's row held beside the text."""

    __tablename__ = "revisions"
    __table_args__ = (UniqueConstraint("memory_id", "revision"), {"sqlite_autoincrement": True})

    n: int | None = Field(default=None, primary_key=True)
    memory_id: str = Field(foreign_key="memories.id")
    owner: int
    revision: str
    parents: str
    agent: str
    author: str | None = None
    created: str
    fields: str
    title: str = Field(sa_type=Text)
    summary: str = Field(sa_type=Text)
    body: str = Field(sa_type=Text)


class Tag(Base, table=True):
    """One tag of one memory."""

    __tablename__ = "memory_tags"

    owner: int = Field(primary_key=True)
    tag: str = Field(primary_key=True)
    memory_id: str = Field(primary_key=True, foreign_key="memories.id", index=True)


class MemoryIssue(Base, table=True):
    """One Linear issue that one memory is linked to, by its UUID: what `linear_issues` of the memory says, to be found by issue."""

    __tablename__ = "memory_issues"

    owner: int = Field(primary_key=True)
    issue_id: str = Field(primary_key=True)
    memory_id: str = Field(primary_key=True, foreign_key="memories.id", index=True)


class MemoryText(Base, table=True):
    """The folded text of a memory; triggers keep the full-text indexes by it. `literal` is for substrings, the rest for words."""

    __tablename__ = "memory_texts"

    n: int = Field(primary_key=True)
    scope: str
    date: str
    title: str = Field(sa_type=Text)
    context: str = Field(sa_type=Text)
    body: str = Field(sa_type=Text)
    literal: str = Field(sa_type=Text)


class Vector(Base, table=True):
    """One vector of one memory: `part` numbers them, `span` says of which characters of the body ("" for the whole)."""

    __tablename__ = "vectors"
    __table_args__ = (
        UniqueConstraint("memory_id", "model", "part"),
        Index("ix_vectors_owner", "owner", "model", "memory_id"),
        {"sqlite_autoincrement": True},
    )  # n names it in Chroma

    n: int | None = Field(default=None, primary_key=True)
    memory_id: str = Field(foreign_key="memories.id")
    owner: int
    part: int
    span: str
    model: str
    vector: bytes = Field(sa_type=LargeBinary)


class Outbox(Base, table=True):
    """What the derived indexes have still to learn: one row a memory, the latest change counts."""

    __tablename__ = "outbox"

    memory_id: str = Field(primary_key=True)
    owner: int
    op: str
    seq: int = Field(index=True)


class FactsRow(Base, table=True):
    """The facts document of a user."""

    __tablename__ = "facts"

    owner: int = Field(primary_key=True)
    document: str = Field(sa_type=Text)
    updated: str


class Persona(Base, table=True):
    """A persona."""

    __tablename__ = "personas"

    name: str = Field(primary_key=True)
    definition: str = Field(sa_type=Text)
    communication_style: str = Field(sa_type=Text)
    behavioral_guidelines: str = Field(sa_type=Text)
    built_in: bool
    updated: str


class Operation(Base, table=True):
    """A write done under an operation key."""

    __tablename__ = "operations"
    __table_args__ = (UniqueConstraint("owner", "agent", "key"),)

    id: str = Field(primary_key=True)
    owner: int
    agent: str
    key: str
    name: str
    args_hash: str
    answer: str = Field(sa_type=Text)
    subject: str | None = Field(default=None, index=True)
    created: str
    expires: str = Field(index=True)


class SentWrite(Base, table=True):
    """A write that was sent to another service and is not known to be done: noted before it is sent, gone when it is done or
    refused. `target` is the id that we chose for what it makes, or of what it changes."""

    __tablename__ = "sent_writes"
    __table_args__ = (UniqueConstraint("owner", "agent", "key"),)

    id: str = Field(primary_key=True)
    owner: int
    agent: str
    key: str | None = None
    name: str
    args_hash: str
    target: str
    state: str
    message: str | None = Field(default=None, sa_type=Text)
    created: str
    expires: str = Field(index=True)


class Audit(Base, table=True):
    """A write that was done."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_time", "time", "id"), Index("ix_audit_user", "user", "time", "id"))

    id: str = Field(primary_key=True)
    time: str
    request_id: str
    owner: int
    user: str
    agent: str
    operation: str
    outcome: str
    duration_ms: float
    subject: str | None = None


class Conversation(Base, table=True):
    """A conversation that has had its first recall."""

    __tablename__ = "conversations"

    owner: int = Field(primary_key=True)
    conversation_id: str = Field(primary_key=True)
    first_seen: str


class Meta(Base, table=True):
    """Single values: the cursor signing key, the generation of each derived index."""

    __tablename__ = "meta"

    name: str = Field(primary_key=True)
    value: str


TABLES = Base.metadata.tables
