"""Clients' SQLite files, only ever read."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from .lines import sound
from .records import Unreadable


@contextmanager
def reading(path: Path, tables: frozenset[str], name: Path | None = None) -> Iterator[sqlite3.Connection]:
    """A read-only connection in one snapshot, which may read these tables and no other: clients keep credentials there.

    Texts that are no UTF-8 come with surrogates in place of the bytes; `name` is what a copy is called in errors.

    Raises:
        Unreadable: there is no such file, it is no SQLite file, or it is damaged.
    """
    if not path.is_file():
        raise Unreadable(f"{path} is not there")
    try:
        with closing(
            sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)
        ) as connection:
            connection.text_factory = lambda data: data.decode(errors="surrogateescape")
            connection.execute("BEGIN")
            _confine(connection, tables)
            yield connection
    except sqlite3.DatabaseError as error:
        raise Unreadable(f"{name or path} cannot be read: {error}") from error


@contextmanager
def copied(path: Path) -> Iterator[Path]:
    """A copy of a database that its program keeps open, with what has not been written back yet; removed afterwards.

    Raises:
        Unreadable: it cannot be copied.
    """
    with tempfile.TemporaryDirectory(prefix="tallystick-") as folder:
        copy = Path(folder) / path.name
        try:
            # The journal first: a page that is written back meanwhile is then in both, never in none.
            for suffix in ("-wal", "-shm", ""):
                part = path.with_name(path.name + suffix)
                if part.is_file():
                    shutil.copyfile(part, copy.with_name(copy.name + suffix))
        except OSError as error:
            raise Unreadable(f"{path} cannot be copied: {error.strerror or error}") from error
        yield copy


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The columns of a table, none when there is no such table: versions differ, so only what exists is asked for."""
    return frozenset(row[1] for row in connection.execute(f'PRAGMA table_info("{table}")'))


def text(value: object) -> str | None:
    """A text that can stand for a row in a query; None for anything else that a client's column may hold."""
    return value if isinstance(value, str) and value and sound(value)[1] == 0 else None


def data(value: object) -> bytes:
    """The bytes of a column that should hold JSON, as text or BLOB; of anything else, bytes that are no record."""
    if isinstance(value, str):
        return value.encode(errors="surrogateescape")
    return value if isinstance(value, bytes) else b"" if value is None else str(value).encode()


def _confine(connection: sqlite3.Connection, tables: frozenset[str]) -> None:
    allowed = tables | {"sqlite_master", "sqlite_schema", ""}

    def decide(action: int, first: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ:
            return sqlite3.SQLITE_OK if first in allowed else sqlite3.SQLITE_DENY
        if action in _HARMLESS or (action == sqlite3.SQLITE_PRAGMA and first == "table_info"):
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    connection.set_authorizer(decide)


_HARMLESS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_TRANSACTION})
