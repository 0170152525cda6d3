"""Sessions with messages, their full text, links, vectors and coverage; leases of tasks; memories that are nearly alike."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

WORDS = "title, body, scope"
OLD = "old.n, coalesce(old.heading, ''), coalesce(old.words, old.content), old.scope"


def upgrade() -> None:
    _sessions()
    _full_text()
    _vectors()
    _tasks()
    # Looked at once more by the indexer, which keeps their vectors and finds the pairs that are nearly alike.
    op.execute(
        "INSERT INTO outbox (memory_id, owner, op, seq) SELECT id, owner, 'index', 0 FROM memories WHERE true"
        " ON CONFLICT (memory_id) DO NOTHING"
    )


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("n", sa.Integer(), primary_key=True),
        sa.Column("id", sa.String(), nullable=False, unique=True),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("native_id", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("cwd", sa.String()),
        sa.Column("created", sa.String(), nullable=False),
        sa.Column("updated", sa.String(), nullable=False),
        sa.Column("message_count", sa.Integer(), nullable=False),
        sa.Column("uncovered", sa.Integer(), nullable=False),
        sa.Column("waiting", sa.String()),
        sa.Column("titled", sa.Boolean(), nullable=False),
        sa.Column("timed", sa.Boolean(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.UniqueConstraint("owner", "agent", "native_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_sessions_page", "sessions", ["owner", "created", "id"])
    op.create_index("ix_sessions_active", "sessions", ["owner", "updated", "id"])
    op.create_index("ix_sessions_native", "sessions", ["owner", "native_id"])
    op.create_index("ix_sessions_waiting", "sessions", ["owner", "waiting"])
    op.create_table(
        "messages",
        sa.Column("n", sa.Integer(), primary_key=True),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.Column("session_n", sa.Integer(), sa.ForeignKey("sessions.n"), nullable=False),
        sa.Column("native_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("timestamp", sa.String()),
        sa.Column("captured", sa.String(), nullable=False),
        sa.Column("covered", sa.Boolean(), nullable=False),
        sa.Column("content_length", sa.Integer(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("heading", sa.Text()),
        sa.Column("words", sa.Text()),
        sa.Column("content", sa.Text(), nullable=False),
        sa.UniqueConstraint("session_n", "native_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_messages_position", "messages", ["session_n", "position"])
    op.create_table(
        "session_links",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.Column("source_n", sa.Integer(), sa.ForeignKey("sessions.n"), nullable=False),
        sa.Column("target_n", sa.Integer(), sa.ForeignKey("sessions.n"), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("created", sa.String(), nullable=False),
        sa.UniqueConstraint("source_n", "target_n", "kind"),
    )
    op.create_index("ix_session_links_owner", "session_links", ["owner"])
    op.create_index("ix_session_links_target", "session_links", ["target_n"])
    op.create_table(
        "coverage",
        sa.Column("session_n", sa.Integer(), sa.ForeignKey("sessions.n"), primary_key=True),
        sa.Column("token", sa.String(), primary_key=True),
        sa.Column("memory_id", sa.String(), sa.ForeignKey("memories.id"), primary_key=True),
        sa.Column("version", sa.String()),
    )
    op.create_index("ix_coverage_version", "coverage", ["session_n", "version"])
    op.create_index("ix_coverage_memory_id", "coverage", ["memory_id"])
    op.create_index("ix_memories_session", "memories", ["owner", "session"])


def _full_text() -> None:
    # External content by way of a view. The triggers give a removed row's old text back to the index, which it needs to take
    # it out.
    op.execute(
        "CREATE VIEW message_texts AS"
        " SELECT n, coalesce(heading, '') AS title, coalesce(words, content) AS body, scope FROM messages"
    )
    op.execute(
        f"CREATE VIRTUAL TABLE message_words USING fts5({WORDS}, content='message_texts', content_rowid='n',"
        " tokenize='porter unicode61 remove_diacritics 2')"
    )
    leave = f"INSERT INTO message_words (message_words, rowid, {WORDS}) VALUES ('delete', {OLD});"  # noqa: S608
    enter = f"INSERT INTO message_words (rowid, {WORDS}) VALUES ({OLD.replace('old.', 'new.')});"  # noqa: S608
    op.execute(f"CREATE TRIGGER message_words_insert AFTER INSERT ON messages BEGIN {enter} END")
    op.execute(f"CREATE TRIGGER message_words_delete AFTER DELETE ON messages BEGIN {leave} END")
    changed = "AFTER UPDATE OF scope, heading, words, content ON messages"
    op.execute(f"CREATE TRIGGER message_words_update {changed} BEGIN {leave} {enter} END")


def _vectors() -> None:
    op.create_table(
        "session_vectors",
        sa.Column("n", sa.Integer(), primary_key=True),
        sa.Column("session_n", sa.Integer(), sa.ForeignKey("sessions.n"), nullable=False),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.UniqueConstraint("session_n", "model", "digest"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_session_vectors_owner", "session_vectors", ["owner", "model", "session_n"])
    op.create_table(
        "session_outbox",
        sa.Column("session_n", sa.Integer(), primary_key=True),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
    )
    op.create_index("ix_session_outbox_seq", "session_outbox", ["seq"])


def _tasks() -> None:
    op.create_table(
        "leases",
        sa.Column("owner", sa.Integer(), primary_key=True),
        sa.Column("task_id", sa.String(), primary_key=True),
        sa.Column("claimed_by", sa.String(), nullable=False),
        sa.Column("expires", sa.String(), nullable=False),
    )
    op.create_index("ix_leases_expires", "leases", ["expires"])
    op.create_table(
        "alike",
        sa.Column("a", sa.String(), sa.ForeignKey("memories.id"), primary_key=True),
        sa.Column("b", sa.String(), sa.ForeignKey("memories.id"), primary_key=True),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.Column("similarity", sa.Float(), nullable=False),
        sa.Column("found", sa.String(), nullable=False),
    )
    op.create_index("ix_alike_b", "alike", ["b"])
    op.create_index("ix_alike_found", "alike", ["owner", "found"])
