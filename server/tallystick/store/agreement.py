"""Counts of a database that must agree: what is derived has as many rows as what it is derived from."""

from __future__ import annotations

import sqlite3

# What, how many there are, and how many there have to be.
COUNTS = (
    ("memories in the full text", "SELECT count(*) FROM memory_words_docsize", "SELECT count(*) FROM memories"),
    ("memories in the literal index", "SELECT count(*) FROM memory_trigrams_docsize", "SELECT count(*) FROM memories"),
    ("messages in the full text", "SELECT count(*) FROM message_words_docsize", "SELECT count(*) FROM messages"),
    (
        "messages that sessions count",
        "SELECT coalesce(sum(message_count), 0) FROM sessions",
        "SELECT count(*) FROM messages",
    ),
    (
        "messages that no summary covers",
        "SELECT coalesce(sum(uncovered), 0) FROM sessions",
        "SELECT count(*) FROM messages WHERE NOT covered",
    ),
    (
        "memories with vectors, or waiting for them",
        "SELECT count(*) FROM memories m WHERE EXISTS (SELECT 1 FROM vectors v WHERE v.memory_id = m.id)"
        " OR EXISTS (SELECT 1 FROM outbox o WHERE o.memory_id = m.id)",
        "SELECT count(*) FROM memories",
    ),
)


def disagreements(connection: sqlite3.Connection) -> tuple[str, ...]:
    """What does not agree, in words with both numbers; to be asked within one transaction.

    Raises:
        sqlite3.Error: it cannot be counted.
    """
    found = []
    for what, have, want in COUNTS:
        there, wanted = (connection.execute(statement).fetchone()[0] for statement in (have, want))
        if there != wanted:
            found.append(f"{there} of {wanted} {what}")
    return tuple(found)
