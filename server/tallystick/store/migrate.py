"""Brings a database to this version's tables, by Alembic; refuses one that is damaged or newer."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection

from .copying import backup_path, copy_whole, quick_check, read_only
from .errors import StoreUnusable
from .home import CHROMA, private

KNOWN = ("0001", "0002", "0003")  # the migrations, oldest first; a test holds them against the folder
CHECKED_WHOLE = 16 * 1024 * 1024  # bytes up to which every page of a database is looked at on opening
_magic = b"SQLite format 3\x00"


def examine(path: Path, connect: Callable[[Path], sqlite3.Connection] = read_only) -> str | None:
    """Look at a database without changing a byte of it.

    Args:
        path: the database.
        connect: opens it.

    Returns:
        The migration it stands at; None where there is nothing in it yet.

    Raises:
        StoreUnusable: it is no SQLite database, a damaged one, something else's, or was made by a newer version.
    """
    advice = "To restore a backup: tallystick restore FILE. Nothing in it was changed."
    try:
        size = path.stat().st_size if path.exists() else 0
        with path.open("rb") if size else contextlib.nullcontext() as file:
            head = file.read(len(_magic)) if file is not None else _magic
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StoreUnusable(path, reason, "It must be a file this user may read.") from error
    if head != _magic:
        raise StoreUnusable(path, "it is no SQLite database", advice)
    if not size:
        if (path.parent / CHROMA).is_dir():  # a start that was killed had not got as far
            raise StoreUnusable(path, "it is empty, although there is an index of what it held", advice)
        return None
    try:
        with contextlib.closing(connect(path)) as connection:
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            ours = "alembic_version" in tables
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone() if ours else None
            fault = quick_check(connection) if size <= CHECKED_WHOLE else None
            connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise StoreUnusable(path, f"it is damaged ({error})", advice) from error
    if fault is not None:
        raise StoreUnusable(path, f"it is damaged ({fault})", advice)
    if row is None:
        if tables:
            raise StoreUnusable(path, "it holds tables of something else", "Give another folder as home.")
        return None
    stands: str = row[0]
    if stands not in KNOWN:
        reason = f"it was made by a newer version of tallystick (tables {stands}; this version knows {KNOWN[-1]})"
        raise StoreUnusable(path, reason, "Use that version, or restore a backup from before.")
    return stands


def bring_up_to_date(connection: Connection) -> None:
    """Run the migrations the database lacks. Alembic takes a while to import: call this only where there are any."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "tallystick.store:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def back_up(source: sqlite3.Connection, folder: Path, stands: str) -> Path:
    """Copy a database that is about to be migrated.

    Args:
        source: an open connection to it, outside any transaction.
        folder: where the copy goes; made if needed.
        stands: the migration it stands at, for the name.

    Returns:
        The copy, whole and on disk.

    Raises:
        StoreUnusable: it could not be copied; the database is as it was.
    """
    copy = backup_path(folder, stands)
    try:
        private(folder)
        copy_whole(source, copy)
    except (OSError, sqlite3.Error) as error:
        reason = f"the backup that is taken before its tables are changed failed ({error})"
        raise StoreUnusable(copy, reason, "Make room there; the database is as it was.") from error
    return copy
