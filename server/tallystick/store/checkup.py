"""Looks at the files of a home that may be damaged, changing none. Run as a program, it opens one Chroma folder."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from filelock import Timeout
from sqlalchemy import func, select

from . import outbox
from .agreement import disagreements
from .chroma import opened
from .copying import quick_check, read_only
from .home import CHROMA, DATABASE, owner_lock
from .prepared import Prepared
from .tables import TABLES

CHROMA_SECONDS = 120
MEMORIES = Prepared(select(func.count()).select_from(TABLES["memories"]))


@dataclass(frozen=True, slots=True)
class DatabaseReport:
    """What was found in a database.

    Attributes:
        fault: what is wrong with it; None where nothing is.
        bytes: its size.
        memories: how many it has.
        behind: how many of them are not yet in every index.
        disagreements: counts that should be the same, in words.
    """

    fault: str | None
    bytes: int
    memories: int = 0
    behind: int = 0
    disagreements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VectorsReport:
    """What was found in the folder of the derived vector index.

    Attributes:
        fault: what is wrong with it; None where nothing is.
        collections, vectors: how many it has.
    """

    fault: str | None
    collections: int = 0
    vectors: int = 0


class InUse(Exception):
    """Another process owns the home."""


def look_at_database(home: Path) -> DatabaseReport | None:
    """Read the whole database of a home once; None where none is made yet. A running server is not disturbed."""
    path = home / DATABASE
    if not path.exists():
        return None
    size = path.stat().st_size
    try:
        with contextlib.closing(read_only(path)) as connection:
            connection.execute("BEGIN")
            fault = quick_check(connection)
            memories, behind = MEMORIES.value(connection), outbox.count(connection)
            differ = disagreements(connection)
    except sqlite3.Error as error:
        return DatabaseReport(str(error), size)
    return DatabaseReport(fault, size, memories, behind, differ)


def look_at_vectors(home: Path) -> VectorsReport | None:
    """Open the vector index of a home in a process of its own, which a damaged one may end by a signal.

    Returns:
        None where there is no index.

    Raises:
        InUse: another process owns the home; a second one on the folder would damage it.
    """
    folder = home / CHROMA
    if not folder.exists():
        return None
    try:
        with owner_lock(home).acquire(timeout=0):
            return look_into(folder)
    except Timeout:
        raise InUse from None


def look_into(folder: Path) -> VectorsReport:
    """Open a Chroma folder, which nobody else has open, in a process of its own."""
    try:
        done = subprocess.run(  # noqa: S603  # this interpreter, this file
            [sys.executable, "-P", "-m", __name__, str(folder)],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=CHROMA_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return VectorsReport("it does not open in time")
    if done.returncode:
        return VectorsReport(f"opening it ends a process with {done.returncode}")
    collections, vectors = done.stdout.split()
    return VectorsReport(None, int(collections), int(vectors))


def main() -> None:
    """Read something of each collection of the Chroma folder named on the command line; print how many there are of what."""
    collections = opened(Path(sys.argv[1])).list_collections()
    found = [(collection.count(), collection.peek(1)) for collection in collections]
    print(len(found), sum(count for count, _ in found))


if __name__ == "__main__":
    main()
