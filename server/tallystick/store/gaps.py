"""What erased rows leave between the rows of the database's pages, and writing the pages anew to be rid of it.

`secure_delete` overwrites a row where it is deleted, but not the copy that stays behind in a page when SQLite moves rows to
another page: nothing reads it, and whoever holds the file can.
"""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING

import structlog

from . import meta

if TYPE_CHECKING:
    from .store import Store

log = structlog.get_logger(__name__)

LARGE = 512 * 1024 * 1024
"""Bytes of a database that is not written anew unasked: writes wait meanwhile, some ten seconds a gigabyte."""
SHARE = 20  # it is left alone for that many times as long as the last time took
AGAIN = 600.0  # seconds after which one that failed, as on a full disk, is tried again


class Gaps:
    """When to write the pages anew.

    Attributes:
        seconds: until there may be something to do that nobody wakes the indexer for; 0 where there is nothing.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._not_before = 0.0
        self._left: str | None = None
        self.seconds = 0.0

    def close(self) -> bool:
        """Write the pages anew if something was erased and it is time for it; False where nothing was done."""
        self.seconds = 0.0
        with self._store.read(0) as unit:
            mark = meta.get(unit.driver, meta.GAPS)
        if not mark:
            return False
        size = self._store.database_bytes()
        if size > LARGE:
            if mark != self._left:
                log.info("what was erased may be left in unused bytes; tallystick index rebuild removes it", bytes=size)
                self._left = mark
            return False
        began = time.monotonic()
        self.seconds = max(0.0, self._not_before - began)
        if self.seconds:
            return False
        try:
            write_anew(self._store)
        except sqlite3.OperationalError as error:
            log.warning("what was erased may be left in unused bytes of the database for now", error=str(error))
            self._not_before = began + AGAIN
            return False
        ended = time.monotonic()
        self._not_before = ended + SHARE * (ended - began)
        return True


def write_anew(store: Store) -> None:
    """Write every page of the database anew; writes wait meanwhile, searches do not.

    Raises:
        sqlite3.OperationalError: there is no room for it.
    """
    with store.read(0) as unit:
        mark = meta.get(unit.driver, meta.GAPS)
    store.vacuum()
    if mark and store.fold_log():
        with store.write(0) as unit:
            if meta.get(unit.driver, meta.GAPS) == mark:  # nothing was erased meanwhile
                meta.put(unit.driver, meta.GAPS, "")
