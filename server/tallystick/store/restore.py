"""Putting a backup in the place of a home's database: all of it or nothing, whenever the process is killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import migrate
from .copying import BESIDE, Progress, backup_path, copy_whole, on_disk, put_away
from .errors import StoreUnusable
from .home import DATABASE, OLD_CHROMA, Home, private

DRAFT = f"{DATABASE}.restoring"
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@dataclass(frozen=True, slots=True)
class Restored:
    """A backup that was put in place.

    Attributes:
        records: how many rows each table has that holds records.
        kept: where the database is that was there; None where there was none.
        outdated: whether its tables are those of an earlier version, which the next start brings up to date.
    """

    records: dict[str, int]
    kept: Path | None
    outdated: bool


def look(file: Path) -> str:
    """The migration that a backup stands at.

    Raises:
        StoreUnusable: it is not there, damaged, no database of tallystick, or one of a newer version.
    """
    reason = "there is nothing in it" if file.is_file() else "there is no such file"
    try:
        stands = migrate.examine(file, put_away)
    except StoreUnusable as error:
        stands, reason = None, error.reason
    if stands is None:
        raise StoreUnusable(file, reason, "Name another backup; nothing was changed.")
    return stands


def restore(
    home: Path, file: Path, ready: Callable[[], None] = lambda: None, progress: Progress | None = None
) -> Restored:
    """Put a backup in the place of a home's database, which is kept as a backup itself. The vector index goes: it is derived,
    and the next start makes it anew.

    Args:
        home: whose; made where it is missing.
        file: the backup; it stays as it is.
        ready: called when all has been checked, right before the backup takes its place.
        progress: see copy_whole.

    Raises:
        HomeInUse: a process owns the home; it is as it was.
        StoreUnusable: the backup is none, or cannot be copied; the database of the home is as it was.
    """
    stands = look(file)
    taken = Home.take(home)
    try:
        sweep(taken)
        draft = home / DRAFT
        with contextlib.closing(put_away(file)) as source:
            source.execute("BEGIN")
            records = copy_whole(source, draft, progress)
        _fold_log(taken.database)
        ready()
        kept = _keep(taken)
        if taken.chroma.exists():
            taken.chroma.rename(home / OLD_CHROMA)
        for beside in BESIDE:
            taken.database.with_name(f"{DATABASE}{beside}").unlink(missing_ok=True)
        draft.replace(taken.database)
        sweep(taken)
    except (OSError, sqlite3.Error) as error:
        reason = f"it could not be put in place ({error})"
        raise StoreUnusable(file, reason, "The database that was there is as it was.") from error
    finally:
        taken.release()
    return Restored(records, kept, stands != migrate.KNOWN[-1])


def sweep(home: Home) -> None:
    """Remove what was left by a kill: a copy that was to be put in place, an old vector index."""
    shutil.rmtree(home.path / OLD_CHROMA, ignore_errors=True)
    for left in home.path.glob(f"{DRAFT}*"):
        left.unlink(missing_ok=True)


def _fold_log(database: Path) -> None:
    """Bring a database into one file, so that one step can replace it. A damaged one stays as it is.

    Raises:
        StoreUnusable: another program is reading it.
    """
    if not database.exists():
        return
    try:
        with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.DatabaseError as error:
        code = error.sqlite_errorcode & 0xFF
        if code == sqlite3.SQLITE_BUSY:
            advice = "Wait until it is done, and try again; nothing was changed."
            raise StoreUnusable(database, "another program is reading it, such as a backup", advice) from error
        if code not in DAMAGED:
            raise


def _keep(home: Home) -> Path | None:
    """Give the database a second name among the backups; of a damaged one its log too."""
    if not home.database.exists():
        return None
    private(home.backup_folder)
    kept = backup_path(home.backup_folder, "before-restore")
    for beside in ("", "-wal", "-journal"):
        source = home.database.with_name(f"{DATABASE}{beside}")
        if source.exists():
            target = kept.with_name(f"{kept.name}{beside}")
            try:
                os.link(source, target)
            except OSError:  # a disk without links
                shutil.copyfile(source, target)
                on_disk(target)
    return kept
