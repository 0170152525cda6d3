"""The one owner of a home: opens it, gives units of work, keeps the indexer running, closes it."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import structlog

from . import meta
from .chroma import Chroma
from .conversations import Marks
from .embedding import Embedder
from .engine import BUSY_MILLISECONDS, QUERY_SECONDS, Engines
from .errors import StoreBusy, StoreFull, is_full
from .home import Home
from .index_records import StoreState
from .indexer import Indexer
from .nearest import Vectors
from .prepared import Driver
from .queries_first import QueriesFirst
from .restore import sweep
from .session_vectors import Windows
from .unit import Unit

log = structlog.get_logger(__name__)

BUSY_SECONDS = 10.0


class Store:
    """A home, owned. Made by `open`; every method may be called from any thread.

    Attributes:
        home: the folder.
        embedder: turns text into vectors.
        vectors: the search among vectors of memories.
        windows: the search among vectors of sessions.
        marks: first recalls that are still to be noted.
        cursor_key: signs page cursors; made once a database, so that cursors outlive a restart.
    """

    def __init__(self, home: Home, engines: Engines, embedder: Embedder, busy_seconds: float) -> None:
        self.home = home.path
        self.embedder = QueriesFirst(embedder)
        self.marks = Marks()
        self._home = home
        self._engines = engines
        self._busy_seconds = busy_seconds
        self._writing = threading.Lock()
        self._closed = False
        self._indexing = False
        with self._snapshot() as driver:
            generation = int(meta.get(driver, meta.GENERATION) or 1)
        chroma = Chroma(home.chroma, generation)
        self.vectors = Vectors(embedder.model, embedder.dimension, chroma, self._snapshot)
        self.windows = Windows(embedder.model, embedder.dimension, self._snapshot)
        with self.write(0) as unit:
            self.cursor_key = meta.cursor_key(unit.driver)
        self._indexer = Indexer(self)

    @classmethod
    def open(
        cls,
        home: Path,
        *,
        embedder: Embedder,
        durability: Literal["normal", "full"] = "normal",
        busy_seconds: float = BUSY_SECONDS,
        indexing: bool = True,
    ) -> Store:
        """Take a home and make it ready: folder (0700 where it is made), lock, database (0600), migrations, indexer.

        Args:
            home: an absolute path.
            embedder: another one than last time makes the vectors anew in the background.
            durability: "full" waits for the disk at each commit: an acknowledged write then outlives a power cut, not only
                a killed process.
            busy_seconds: how long a write waits for its turn.
            indexing: False leaves what is to be embedded to the next owner.

        Raises:
            HomeInUse: another process owns the home.
            StoreUnusable: the home or its database cannot be used; nothing that was there was changed.
        """
        taken = Home.take(home)
        try:
            sweep(taken)
            engines = Engines.open(taken.database, durability, taken.backup_folder)
            try:
                store = cls(taken, engines, embedder, busy_seconds)
            except BaseException:
                engines.close()
                raise
        except BaseException:
            taken.release()
            raise
        if indexing:
            store._indexer.start()
            store._indexing = True
        return store

    @contextmanager
    def read(self, owner: int) -> Iterator[Unit]:
        """A snapshot: everything read in it is of one moment; a change in it raises."""
        channel = self._engines.reading()
        try:
            driver = channel.driver
            unit = Unit(self, channel.connection, driver, owner, writing=False)
            try:
                driver.execute("BEGIN")
                yield unit
            except BaseException as error:
                _run(unit.undone)
                if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                    raise StoreBusy(QUERY_SECONDS) from error
                raise
            finally:
                if driver.in_transaction:
                    driver.execute("ROLLBACK")
        finally:
            self._engines.give_back(channel)
        _run(unit.committed)

    @contextmanager
    def write(self, owner: int) -> Iterator[Unit]:
        """A transaction: committed at the end, undone by an exception. Writes of one process take turns.

        Raises:
            StoreBusy: its turn did not come in time.
            StoreFull: the disk has no room for it.
        """
        if not self._writing.acquire(timeout=self._busy_seconds):
            raise StoreBusy(self._busy_seconds)
        try:
            channel = self._engines.writing()
            driver = channel.driver
            unit = Unit(self, channel.connection, driver, owner, writing=True)
            try:
                driver.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                    raise StoreBusy(self._busy_seconds) from error
                if is_full(error):
                    raise StoreFull(self.home) from error
                raise
            try:
                yield unit
                self._commit(unit)
            except BaseException as error:
                if driver.in_transaction:
                    driver.execute("ROLLBACK")
                _run(unit.undone)
                if is_full(error):
                    raise StoreFull(self.home) from error
                raise
        finally:
            self._writing.release()
        _run(unit.committed)

    def _commit(self, unit: Unit) -> None:
        if not unit.indexed:
            unit.driver.execute("COMMIT")
            return
        # No snapshot to fill a matrix from is begun in between: it would hold a change that is told once more.
        with self.vectors.held.turn:
            unit.driver.execute("COMMIT")
            if not _run(unit.indexed):
                self.vectors.held.forget_owner(unit.owner)
                self.windows.forget_owner(unit.owner)

    def fold_log(self) -> bool:
        """Fold the write-ahead log into the database and cut it to nothing, so that no erased text stays in it.

        Returns:
            False where a reader is in the way: try again.
        """
        with self._writing:
            driver = self._engines.writing().driver
            driver.execute("PRAGMA busy_timeout=0")  # writers must not wait here for a slow reader
            try:
                busy: int = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            finally:
                driver.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
        return not busy

    def vacuum(self) -> None:
        """Write every page of the database anew, so that nothing stays between its rows. Writes wait meanwhile.

        Raises:
            sqlite3.OperationalError: there is no room for it.
        """
        with self._writing:
            self._engines.vacuum()

    def database_bytes(self) -> int:
        """The size of the database, its log aside."""
        return self._home.database.stat().st_size

    @contextmanager
    def _snapshot(self) -> Iterator[Driver]:
        with self.read(0) as unit:
            yield unit.driver

    def backups(self) -> list[str]:
        """Names of the backups kept in the home: what is erased is still in them."""
        return self._home.backups()

    def wake(self) -> None:
        """Tell the indexer that there is something to do."""
        self._indexer.wake()

    def state(self) -> StoreState:
        """How far the indexer is."""
        return self._indexer.state()

    def wait_indexed(self, timeout: float) -> bool:
        """Wait until nothing is behind; False where that took longer than `timeout` seconds."""
        until = time.monotonic() + timeout
        while (state := self.state()).behind or state.sessions_behind or not self._indexer.begun:
            if time.monotonic() >= until:
                return False
            self._indexer.wait_progress(min(0.05, timeout))
        return True

    def close(self) -> None:
        """Stop the indexer (it goes on next time where it stood), close the database, give the home back."""
        if self._closed:
            return
        self._closed = True
        if self._indexing:
            self._indexer.stop()
        self.embedder.close()
        self.vectors.chroma.close()
        with self._writing:
            self._engines.close()
        self._home.release()


def _run(calls: list[Callable[[], None]]) -> bool:
    well = True
    for call in calls:
        try:
            call()
        except Exception:  # the transaction is done: its caller must not be told otherwise
            log.exception("a call after the transaction failed")
            well = False
    return well
