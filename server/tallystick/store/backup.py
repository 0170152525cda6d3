"""A backup of a home's database, taken by any process while the owner serves."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from . import migrate
from .copying import Progress, backup_path, copy_whole, read_only
from .errors import StoreUnusable
from .home import BACKUPS, DATABASE, private


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was taken.

    Attributes:
        file: the copy.
        bytes: its size.
        records: how many rows each table has that holds records; the same as in the database at that moment.
    """

    file: Path
    bytes: int
    records: dict[str, int]


def back_up(home: Path, target: Path | None = None, progress: Progress | None = None) -> Backup:
    """Copy the database of a home: all its records, and of keys the hashes. The vector index is derived and not part of it.

    Args:
        home: whose; another process may own it and write meanwhile.
        target: the file to make, or a folder to make it in; None for the home's own folder of backups.
        progress: see copy_whole.

    Raises:
        StoreUnusable: there is no database, it is damaged or newer, the file is there already, or it cannot be written.
    """
    database = home / DATABASE
    stands = migrate.examine(database)
    if stands is None:
        raise StoreUnusable(database, "nothing is stored there yet", "The first start of the server makes it.")
    if target is None:
        target = home / BACKUPS
    try:
        if target == home / BACKUPS:
            private(target)
        if target.is_dir():
            target = backup_path(target, stands)
        if not target.parent.is_dir():
            raise StoreUnusable(target, f"{str(target.parent)!r} is no folder", "Name one that is there.")
        if target.exists():
            raise StoreUnusable(target, "it is there already", "Give the name of a new file.")
        with contextlib.closing(read_only(database)) as source:
            source.execute("BEGIN")  # without it, copying page by page would begin anew at each write
            records = copy_whole(source, target, progress)
    except (OSError, sqlite3.Error) as error:
        reason = f"the backup failed ({error})"
        raise StoreUnusable(target, reason, "Nothing was kept of it; the database is as it was.") from error
    return Backup(target, target.stat().st_size, records)
