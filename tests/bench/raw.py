"""Raw sqlite3: the same rows into the same tables, which is the least a write can cost."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

# What makes the database's own tables, apart from those that FTS5 makes by itself.
MADE = """SELECT type, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
AND (name NOT GLOB '*_words_*' AND name NOT GLOB '*_trigrams_*' OR type = 'trigger') ORDER BY type = 'trigger'"""
PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "cache_size=-65536", "mmap_size=268435456", "secure_delete=ON")
Table = Literal["memories", "revisions", "memory_texts", "audit", "messages"]


class Entry(NamedTuple):
    """A row of a table."""

    table: Table
    values: tuple[object, ...]


class Original:
    """What a database holds, and what its tables are made by."""

    def __init__(self, path: Path) -> None:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
            self._made = database.execute(MADE).fetchall()
        self._path = path

    def last(self, table: Table, count: int) -> list[Entry]:
        """The rows of a table that came last, in their order."""
        with sqlite3.connect(f"file:{self._path}?mode=ro", uri=True) as database:
            rows = database.execute(f"SELECT * FROM {table} ORDER BY rowid DESC LIMIT {count}").fetchall()
            return [Entry(table, values) for values in reversed(rows)]

    def inserts(self, path: Path, transactions: Sequence[Sequence[Entry]], full_text: bool = True) -> list[float]:
        """Make the tables in a new database and insert rows; seconds of each transaction.

        Args:
            path: of the new database.
            transactions: the rows of each.
            full_text: with the triggers that keep the full text.
        """
        database = sqlite3.connect(path, isolation_level=None)
        made = [sql for kind, sql in self._made if full_text or kind != "trigger"]
        for statement in (*(f"PRAGMA {pragma}" for pragma in PRAGMAS), *made):
            database.execute(statement)
        took = []
        for rows in transactions:
            started = time.perf_counter()
            database.execute("BEGIN IMMEDIATE")
            for table, values in rows:
                database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)
            database.execute("COMMIT")
            took.append(time.perf_counter() - started)
        database.close()
        return took
