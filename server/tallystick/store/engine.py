"""SQLite engines: one connection that writes, a few that read.

Transactions are begun by hand, `BEGIN IMMEDIATE` for writes and `BEGIN` for snapshots: SQLAlchemy's own begin would take
the write lock only at the first change, which lost updates and failed busy in measurements, and costs more than most of
the statements here. The engines run in autocommit mode, so a statement run through `Unit.connection` is part of the same
transaction.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections import deque
from pathlib import Path
from typing import Any, Literal

import structlog
from sqlalchemy import URL, Connection, Engine, StaticPool, create_engine, event

from . import migrate
from .errors import StoreUnusable, unwritable

log = structlog.get_logger(__name__)

READERS = 8  # reading connections kept open
CACHE = {True: 16_384, False: 65_536}  # KiB of pages a reading and the writing connection keep; readers share mmap too
QUERY_SECONDS = 10.0
BUSY_MILLISECONDS = 10_000
STEPS = 20_000  # virtual machine steps between two looks at the clock


class Channel:
    """One connection: SQLAlchemy's, and the driver's own below it. `deadline` bounds what runs on it."""

    __slots__ = ("connection", "deadline", "driver", "engine")

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.connection: Connection = engine.connect()
        driver: Any = self.connection.connection.driver_connection
        self.driver = driver
        self.deadline = 0.0
        self.driver.set_progress_handler(self._late, STEPS)

    def _late(self) -> int:
        return 1 if self.deadline and time.monotonic() > self.deadline else 0

    def close(self) -> None:
        """Give the connection up."""
        self.connection.close()
        self.engine.dispose()


class Engines:
    """The open database."""

    def __init__(self, path: Path, durability: Literal["normal", "full"]) -> None:
        self._path = path
        self._durability = durability
        self._writer = Channel(self._engine(reading=False))
        self._readers: deque[Channel] = deque()

    @classmethod
    def open(cls, path: Path, durability: Literal["normal", "full"], backups: Path) -> Engines:
        """Open the database, bringing its tables up to date; one that is not empty is copied before.

        Args:
            path: the database.
            durability: see Store.open.
            backups: the folder for the copy.

        Raises:
            StoreUnusable: it is damaged, something else's, was made by a newer version, or cannot be copied; not a byte was
                changed.
        """
        stands = migrate.examine(path)
        _private(path)
        engines = None
        try:
            engines = cls(path, durability)
            if stands != migrate.KNOWN[-1]:
                if stands is not None:
                    copy = migrate.back_up(engines._writer.driver, backups, stands)
                    log.info("the database was copied before its tables are changed", copy=str(copy))
                migrate.bring_up_to_date(engines._writer.connection)
        except BaseException as error:
            if engines is not None:
                engines.close()
            if unwritable(error):
                advice = "Make room on its disk, and let this user write there; nothing in it was changed."
                raise StoreUnusable(path, str(getattr(error, "orig", error)), advice) from error
            raise
        return engines

    def writing(self) -> Channel:
        """The one connection that writes; its user holds the store's turn."""
        return self._writer

    def reading(self) -> Channel:
        """A connection for a snapshot; to be given back."""
        try:
            channel = self._readers.pop()
        except IndexError:
            channel = Channel(self._engine(reading=True))
        channel.deadline = time.monotonic() + QUERY_SECONDS
        return channel

    def give_back(self, channel: Channel) -> None:
        """Take back what `reading` gave; one whose transaction could not be ended is closed."""
        channel.deadline = 0.0
        if len(self._readers) < READERS and not channel.driver.in_transaction:
            self._readers.append(channel)
        else:
            channel.close()

    def vacuum(self) -> None:
        """Write every page anew; its caller holds the store's turn.

        By a connection of its own: the writing one keeps what is temporary in memory, where the whole database would go.

        Raises:
            sqlite3.OperationalError: there is no room for it.
        """
        with contextlib.closing(sqlite3.connect(self._path, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
            connection.execute("PRAGMA secure_delete=ON")
            connection.execute("VACUUM")

    def close(self) -> None:
        """Close every connection; the last one folds the write-ahead log into the database."""
        while self._readers:
            self._readers.pop().close()
        self._writer.close()

    def _engine(self, reading: bool) -> Engine:
        engine = create_engine(
            URL.create("sqlite", database=str(self._path)),
            isolation_level="AUTOCOMMIT",
            poolclass=StaticPool,
            connect_args={"check_same_thread": False, "cached_statements": 512},
        )
        pragmas = [
            "journal_mode=WAL", f"synchronous={self._durability.upper()}", f"busy_timeout={BUSY_MILLISECONDS}", "foreign_keys=ON",
            f"cache_size=-{CACHE[reading]}", "mmap_size=268435456", "temp_store=MEMORY", "secure_delete=ON",
        ]  # fmt: skip
        if reading:
            pragmas.append("query_only=ON")

        def prepare(connection: sqlite3.Connection, _record: object) -> None:
            connection.isolation_level = None
            for pragma in pragmas:
                connection.execute(f"PRAGMA {pragma}")

        event.listen(engine, "connect", prepare)
        return engine


def _private(path: Path) -> None:
    """Make the file if it is not there, for this user alone: SQLite makes its log beside it with the mode it finds."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StoreUnusable(path, reason, "It must be a file this user may write.") from error
