"""The first tables: users, keys, memories with revisions, full text and vectors, facts, personas, operations, audit."""

from __future__ import annotations

import json
from importlib import resources

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

WORDS = "title, body, context, date, scope"
LITERALS = "scope, literal"


def upgrade() -> None:
    _people()
    _memories()
    _indexes()
    _records()
    _full_text()
    _personas()


def _people() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False, unique=True),
        sa.Column("created", sa.String(), nullable=False),
    )
    op.create_table(
        "keys",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("owner", sa.Integer(), sa.ForeignKey("users.id"), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("scopes", sa.String(), nullable=False),
        sa.Column("secret_hash", sa.String(), nullable=False),
        sa.Column("created", sa.String(), nullable=False),
        sa.Column("revoked", sa.String()),
    )
    op.create_index("ix_keys_owner", "keys", ["owner"])


def _memories() -> None:
    op.create_table(
        "memories",
        sa.Column("n", sa.Integer(), primary_key=True),
        sa.Column("id", sa.String(), nullable=False, unique=True),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.Column("revision", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("pending", sa.Boolean(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("author", sa.String()),
        sa.Column("body_length", sa.Integer(), nullable=False),
        sa.Column("tags", sa.String(), nullable=False),
        sa.Column("session", sa.String()),
        sa.Column("conversation_id", sa.String()),
        sa.Column("persona", sa.String()),
        sa.Column("billable", sa.Boolean()),
        sa.Column("company_client", sa.String()),
        sa.Column("client_project", sa.String()),
        sa.Column("artifact_url", sa.String()),
        sa.Column("user_query", sa.Text()),
        sa.Column("evidence", sa.String(), nullable=False),
        sa.Column("covered", sa.String(), nullable=False),
        sa.Column("linear_issues", sa.String(), nullable=False),
        sa.Column("superseded_by", sa.String()),
        sa.Column("created", sa.String(), nullable=False),
        sa.Column("updated", sa.String(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_memories_page", "memories", ["owner", "created", "id"])
    op.create_index("ix_memories_conversation", "memories", ["owner", "conversation_id", "created", "id"])
    op.create_index("ix_memories_revision", "memories", ["owner", "revision"])
    merged = sa.text("superseded_by IS NOT NULL")
    op.create_index(
        "ix_memories_superseded", "memories", ["owner", "superseded_by"], sqlite_where=merged, postgresql_where=merged
    )
    op.create_table(
        "revisions",
        sa.Column("n", sa.Integer(), primary_key=True),
        sa.Column("memory_id", sa.String(), sa.ForeignKey("memories.id"), nullable=False),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.Column("revision", sa.String(), nullable=False),
        sa.Column("parents", sa.String(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("author", sa.String()),
        sa.Column("created", sa.String(), nullable=False),
        sa.Column("fields", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.UniqueConstraint("memory_id", "revision"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "memory_tags",
        sa.Column("owner", sa.Integer(), primary_key=True),
        sa.Column("tag", sa.String(), primary_key=True),
        sa.Column("memory_id", sa.String(), sa.ForeignKey("memories.id"), primary_key=True),
    )
    op.create_index("ix_memory_tags_memory_id", "memory_tags", ["memory_id"])


def _indexes() -> None:
    op.create_table(
        "memory_texts",
        sa.Column("n", sa.Integer(), primary_key=True),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("date", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("context", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("literal", sa.Text(), nullable=False),
    )
    op.create_table(
        "vectors",
        sa.Column("n", sa.Integer(), primary_key=True),
        sa.Column("memory_id", sa.String(), sa.ForeignKey("memories.id"), nullable=False),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("span", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.UniqueConstraint("memory_id", "model", "part"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_vectors_owner", "vectors", ["owner", "model", "memory_id"])
    op.create_table(
        "outbox",
        sa.Column("memory_id", sa.String(), primary_key=True),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.Column("op", sa.String(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
    )
    op.create_index("ix_outbox_seq", "outbox", ["seq"])


def _records() -> None:
    op.create_table(
        "facts",
        sa.Column("owner", sa.Integer(), primary_key=True),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("updated", sa.String(), nullable=False),
    )
    op.create_table(
        "operations",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("args_hash", sa.String(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("subject", sa.String()),
        sa.Column("created", sa.String(), nullable=False),
        sa.Column("expires", sa.String(), nullable=False),
        sa.UniqueConstraint("owner", "agent", "key"),
    )
    op.create_index("ix_operations_subject", "operations", ["subject"])
    op.create_index("ix_operations_expires", "operations", ["expires"])
    op.create_table(
        "audit",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("time", sa.String(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.Column("user", sa.String(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("operation", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("duration_ms", sa.Float(), nullable=False),
        sa.Column("subject", sa.String()),
    )
    op.create_index("ix_audit_time", "audit", ["time", "id"])
    op.create_index("ix_audit_user", "audit", ["user", "time", "id"])
    op.create_table(
        "conversations",
        sa.Column("owner", sa.Integer(), primary_key=True),
        sa.Column("conversation_id", sa.String(), primary_key=True),
        sa.Column("first_seen", sa.String(), nullable=False),
    )
    op.create_table(
        "meta",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("value", sa.String(), nullable=False),
    )


def _full_text() -> None:
    # External content: the indexes read memory_texts and keep no text of their own. The triggers give a removed row's old
    # values back to the index, which it needs to take them out.
    op.execute(
        f"CREATE VIRTUAL TABLE memory_words USING fts5({WORDS}, content='memory_texts', content_rowid='n',"
        " tokenize='porter unicode61 remove_diacritics 2')"
    )
    op.execute(
        f"CREATE VIRTUAL TABLE memory_trigrams USING fts5({LITERALS}, content='memory_texts', content_rowid='n',"
        " tokenize='trigram')"
    )
    for index, columns in (("memory_words", WORDS), ("memory_trigrams", LITERALS)):
        old = ", ".join(f"old.{column}" for column in columns.split(", "))
        new = old.replace("old.", "new.")
        leave = f"INSERT INTO {index} ({index}, rowid, {columns}) VALUES ('delete', old.n, {old});"  # noqa: S608
        enter = f"INSERT INTO {index} (rowid, {columns}) VALUES (new.n, {new});"  # noqa: S608
        op.execute(f"CREATE TRIGGER {index}_insert AFTER INSERT ON memory_texts BEGIN {enter} END")
        op.execute(f"CREATE TRIGGER {index}_delete AFTER DELETE ON memory_texts BEGIN {leave} END")
        changed = f"AFTER UPDATE OF {columns} ON memory_texts"
        op.execute(f"CREATE TRIGGER {index}_update {changed} BEGIN {leave} {enter} END")


def _personas() -> None:
    table = op.create_table(
        "personas",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("definition", sa.Text(), nullable=False),
        sa.Column("communication_style", sa.Text(), nullable=False),
        sa.Column("behavioral_guidelines", sa.Text(), nullable=False),
        sa.Column("built_in", sa.Boolean(), nullable=False),
        sa.Column("updated", sa.String(), nullable=False),
    )
    data = resources.files("tallystick.store") / "data" / "personas.json"
    rows = json.loads(data.read_text(encoding="utf-8"))
    op.bulk_insert(table, [{**row, "built_in": True, "updated": "2026-12-01T00:00:00.000000Z"} for row in rows])
