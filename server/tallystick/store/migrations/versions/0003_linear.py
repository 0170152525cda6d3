"""Writes that were sent to another service; memories by the Linear issues they are linked to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sent_writes",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("owner", sa.Integer(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("key", sa.String()),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("args_hash", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("message", sa.Text()),
        sa.Column("created", sa.String(), nullable=False),
        sa.Column("expires", sa.String(), nullable=False),
        sa.UniqueConstraint("owner", "agent", "key"),
    )
    op.create_index("ix_sent_writes_expires", "sent_writes", ["expires"])
    # Nothing could link a memory before, so that there is nothing to fill it from.
    op.create_table(
        "memory_issues",
        sa.Column("owner", sa.Integer(), primary_key=True),
        sa.Column("issue_id", sa.String(), primary_key=True),
        sa.Column("memory_id", sa.String(), sa.ForeignKey("memories.id"), primary_key=True),
    )
    op.create_index("ix_memory_issues_memory_id", "memory_issues", ["memory_id"])
