"""How far each transcript was read: capture/marks.db in the home, shared by every process that captures."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ..capture import START, Mark

PATIENCE = 300.0
"""Seconds to wait while another process keeps a batch."""


class Moved(Exception):
    """Another process has read on in this source meanwhile; read it again from its mark."""


class Marks:
    """One mark a source. A batch and its mark are kept by one process at a time."""

    def __init__(self, home: Path) -> None:
        self._path = home / "capture" / "marks.db"

    def of(self, source: Path) -> Mark:
        """The mark of a source; START where it was never read."""
        if not self._path.exists():
            return START
        with closing(self._open()) as database:
            return _mark(database, source)

    @contextmanager
    def move(self, source: Path, before: Mark, after: Mark) -> Iterator[None]:
        """Set a mark when the block that keeps what was read ends well; nobody else moves one meanwhile.

        Args:
            source: the transcript.
            before: the mark the reading began from, or set last.
            after: the mark to set.

        Raises:
            Moved: the mark is not `before` any more.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._open()) as database:
            database.execute("BEGIN IMMEDIATE")
            if _mark(database, source) != before:
                raise Moved(source)
            yield
            database.execute(
                "INSERT OR REPLACE INTO reached VALUES (?, ?, ?)", [_name(source), after.place, after.line]
            )
            database.execute("COMMIT")

    def forget(self) -> None:
        """Have every source read from its beginning the next time."""
        if self._path.exists():
            with closing(self._open()) as database:
                database.execute("DELETE FROM marks")

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._path, timeout=PATIENCE, isolation_level=None)
        database.execute(
            "CREATE TABLE IF NOT EXISTS reached "
            "(source TEXT PRIMARY KEY, place INTEGER NOT NULL, line TEXT NOT NULL) WITHOUT ROWID"
        )
        return database


def _mark(database: sqlite3.Connection, source: Path) -> Mark:
    row = database.execute("SELECT place, line FROM reached WHERE source = ?", [_name(source)]).fetchone()
    return START if row is None else Mark(*row)


def _name(source: Path) -> str:
    """A path as text; one need not be UTF-8."""
    return os.fsencode(source).decode(errors="backslashreplace")
