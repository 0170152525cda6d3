"""How far each transcript was read: capture/marks.db in the home, shared by every process that captures."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from ..capture import START, Mark
from .failure import Failure

PATIENCE = 300.0
"""Seconds to wait while another process keeps a batch."""

TABLES = (
    "reached (source TEXT PRIMARY KEY, place INTEGER NOT NULL, line TEXT NOT NULL)",
    "seen (source TEXT PRIMARY KEY, size INTEGER NOT NULL, changed INTEGER NOT NULL)",
)

Signature = tuple[int, int]
"""Size in bytes and time of change in nanoseconds."""


class Moved(Exception):
    """Another process has read on in this source meanwhile; read it again from its mark."""


class Marks:
    """One mark a source, and its size and time when all of it had been read. A batch and its mark are kept by one process at a
    time. Damaged marks are put aside: transcripts are then read anew, which changes nothing.

    Every method raises Failure where the file cannot be used, as on a full disk.
    """

    def __init__(self, home: Path) -> None:
        self._path = home / "capture" / "marks.db"
        self._sound = False  # whether every page was looked at; that takes a while, so it is done once

    def of(self, source: Path) -> Mark:
        """The mark of a source; START where it was never read."""
        if not self._path.exists():
            return START
        with self._database() as database:
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
        with self._database() as database:
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
            with self._database() as database:
                for table in ("reached", "seen"):
                    database.execute(f"DELETE FROM {table}")  # noqa: S608

    def unchanged(self, source: Path) -> bool:
        """Whether a source is as it was when all of it had been read."""
        if not self._path.exists():
            return False
        with self._database() as database:
            row: Signature | None = database.execute(
                "SELECT size, changed FROM seen WHERE source = ?", [_name(source)]
            ).fetchone()
        return row == signature(source)

    def finish(self, source: Path, read: Signature) -> None:
        """All of a source has been read, as it was when it had this signature."""
        with self._database() as database:
            database.execute("INSERT OR REPLACE INTO seen VALUES (?, ?, ?)", [_name(source), *read])

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Failure(f"{str(self._path.parent)!r} cannot be used: {error.strerror}.") from None
        try:
            with closing(self._open()) as database:
                yield database
        except sqlite3.Error as error:
            raise Failure(
                f"{str(self._path)!r}, which says how far transcripts were read, cannot be used: {error}. Make room on its "
                "disk and let this user write there, or move it away: transcripts are then read from their beginnings."
            ) from error

    def _open(self) -> sqlite3.Connection:
        database = self._opened()
        try:
            if not self._sound:
                if not _whole(database):
                    database.close()
                    self._path.replace(self._path.with_name(f"{self._path.name}.damaged"))
                    database = self._opened()
                self._sound = True
            for table in TABLES:
                database.execute(f"CREATE TABLE IF NOT EXISTS {table} WITHOUT ROWID")
        except BaseException:
            database.close()
            raise
        return database

    def _opened(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=PATIENCE, isolation_level=None)


def _whole(database: sqlite3.Connection) -> bool:
    try:
        verdict: str = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise
        return False
    return verdict == "ok"


def _mark(database: sqlite3.Connection, source: Path) -> Mark:
    row = database.execute("SELECT place, line FROM reached WHERE source = ?", [_name(source)]).fetchone()
    return START if row is None else Mark(*row)


def signature(source: Path) -> Signature:
    """That of a file, with its database's log beside it."""
    size = changed = 0
    for part in (source, source.with_name(f"{source.name}-wal")):
        with suppress(OSError):
            found = part.stat()
            size, changed = size + found.st_size, max(changed, found.st_mtime_ns)
    return size, changed


def _name(source: Path) -> str:
    """A path as text; one need not be UTF-8."""
    return os.fsencode(source).decode(errors="backslashreplace")
