"""Copies of a database file: whole, verified, and of one moment, also while another process writes to it."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import func, select

from .clock import now
from .prepared import Prepared
from .session_tables import TABLES

Progress = Callable[[int, int], None]
"""Is told how much is done, and of how much."""

PAGES = 1024  # copied between two reports
BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database while it is open, and after a crash."""
KEPT = (
    "users", "keys", "memories", "revisions", "sessions", "messages", "session_links", "coverage", "facts", "personas",
    "audit",
)  # fmt: skip
COUNTS = {name: Prepared(select(func.count()).select_from(TABLES[name])) for name in KEPT}


def backup_path(folder: Path, what: str) -> Path:
    """A new file in a folder for a backup made now; `what` tells of what, such as the migration it stands at."""
    name = f"{now():%Y%m%dT%H%M%S}Z-{what}"
    numbers = ("", *(f"-{number}" for number in range(2, 1000)))
    return next(path for number in numbers if not (path := folder / f"{name}{number}.db").exists())


def read_only(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing: closing an ordinary one would write the log into the file, damaged or not."""
    return _opened(path, "mode=ro")


def put_away(path: Path) -> sqlite3.Connection:
    """As `read_only`, to a file that nobody writes to: where it stands alone, nothing is made beside it."""
    alone = not any(path.with_name(f"{path.name}{beside}").exists() for beside in BESIDE)
    return _opened(path, "mode=ro&immutable=1" if alone else "mode=ro")


def _opened(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, isolation_level=None)


def quick_check(connection: sqlite3.Connection) -> str | None:
    """Look at every page of a database; what is wrong, None where nothing is.

    A damaged full-text index, which newer versions of SQLite look at too, is no fault: it can be made anew.
    """
    verdicts = [row[0] for row in connection.execute("PRAGMA quick_check")]
    return next((verdict for verdict in verdicts if verdict != "ok" and "fts5" not in verdict.lower()), None)


def copy_whole(source: sqlite3.Connection, target: Path, progress: Progress | None = None) -> dict[str, int]:
    """Copy a database and look whether the copy is sound and has every record.

    Args:
        source: an open connection to it. Within a transaction, the copy is of the moment that shows; outside one, nobody may
            write meanwhile.
        target: the file to make, readable for this user alone; it is there when it is whole and on disk, or not at all.
        progress: is told the pages copied and how many there are.

    Returns:
        How many rows each table has that holds records.

    Raises:
        OSError, sqlite3.Error: it could not be copied, or the copy is damaged; there is no file.
    """
    partial = target.with_name(f"{target.name}.partial")

    def report(_status: int, left: int, whole: int) -> None:
        if progress is not None:
            progress(whole - left, whole)

    try:
        partial.unlink(missing_ok=True)
        partial.touch(mode=0o600)
        with contextlib.closing(sqlite3.connect(partial, isolation_level=None)) as copy:
            expected = counts(source)  # before the first page: this read makes the moment that a transaction shows
            source.backup(copy, pages=PAGES, progress=report)
            copy.execute("PRAGMA journal_mode=DELETE")  # one file, which can be read where nothing can be written
            fault = quick_check(copy)
            records = counts(copy)
            if fault is None and records != expected:
                fault = f"it has {records} of {expected}"
            if fault is not None:
                raise sqlite3.DatabaseError(f"the copy is damaged: {fault}")
        on_disk(partial)
        partial.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise
    return records


def on_disk(file: Path) -> None:
    """Wait until what a file holds outlives a power cut."""
    with file.open("rb+") as opened:
        os.fsync(opened.fileno())


def counts(connection: sqlite3.Connection) -> dict[str, int]:
    """How many rows each table has that holds records; one that an older database lacks is left out."""
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return {name: count.value(connection) for name, count in COUNTS.items() if name in there}
