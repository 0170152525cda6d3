"""The checks of `tallystick doctor`. None changes anything; each says what it found and what to do."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from ..owner import Owner, find, run_file
from ..store import MiniLm, StoreUnusable
from ..store.home import CHROMA, DATABASE
from .failure import Failure
from .serve import load_settings

ROOM = 256 * 1024 * 1024
"""Bytes on the disk below which a write may soon fail: SQLite's log and a new generation of vectors need room."""

CHROMA_TIMEOUT = 120

# Run in a process of its own, since opening a damaged folder can end a process by a signal.
OPEN_CHROMA = (
    "import sys, chromadb;"
    "from chromadb.config import Settings;"
    "client = chromadb.PersistentClient(sys.argv[1], Settings(anonymized_telemetry=False));"
    "found = [(c.name, c.count(), c.peek(1)) for c in client.list_collections()];"
    "print(len(found), sum(count for _, count, _ in found))"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check; `action` is empty where there is nothing to do."""

    check: str
    ok: bool
    found: str
    action: str = ""


def examine(home: Path) -> list[Finding]:
    """Every check of a home, in the order a person would ask."""
    return list(_findings(home))


def _findings(home: Path) -> Iterator[Finding]:
    yield _settings(home)
    if not home.is_dir():
        yield Finding("home", True, f"{home} is not made yet; the first start makes it")
        yield _model(home)
        return
    yield Finding("home", True, str(home))
    yield _permissions(home)
    owner = find(home)
    yield _owner(home, owner)
    yield from _database(home / DATABASE)
    yield _chroma(home, owner)
    yield _model(home)
    yield _disk(home)


def _settings(home: Path) -> Finding:
    try:
        load_settings(home)
    except Failure as failure:
        return Finding("settings", False, str(failure), "Mend or unset what is named.")
    return Finding("settings", True, "what the environment sets is valid")


def _permissions(home: Path) -> Finding:
    if sys.platform == "win32":
        return Finding("permissions", True, "left to Windows")
    open_ones = [
        path
        for path in (home, *(home / "run").glob("*"), *(home / "logs").glob("*"), *home.glob(f"{DATABASE}*"))
        if stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    if not open_ones:
        return Finding("permissions", True, "for this user alone")
    names = " ".join(f"'{path}'" for path in open_ones)
    return Finding("permissions", False, f"others may read {names}", f"chmod go-rwx {names}")


def _owner(home: Path, owner: Owner | None) -> Finding:
    if owner is not None:
        return Finding("server", True, f"process {owner.pid}, version {owner.version}, at {owner.url}")
    if run_file(home).exists():
        return Finding("server", True, "none; the last one did not end in order, and the next start puts that right")
    return Finding("server", True, "none runs; `tallystick serve` or an MCP client starts one")


def _database(path: Path) -> Iterator[Finding]:
    if not path.exists():
        yield Finding("database", True, "not made yet; the first start makes it")
        return
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            memories = connection.execute("SELECT count(*) FROM memories").fetchone()[0]
            behind = connection.execute("SELECT count(*) FROM outbox").fetchone()[0]
    except sqlite3.Error as error:
        verdict, memories, behind = str(error), 0, 0
    if verdict != "ok":
        yield Finding(
            "database", False, f"{path}: {verdict}", "Stop the server, keep a copy of the home, restore a backup."
        )
        return
    yield Finding("database", True, f"{path.stat().st_size / 1e6:.1f} MB, {memories} memories, quick_check ok")
    if behind:
        yield Finding(
            "indexing", True, f"{behind} memories are not yet found by meaning; a running server goes on with them"
        )
    else:
        yield Finding("indexing", True, "nothing is behind")


def _chroma(home: Path, owner: Owner | None) -> Finding:
    folder = home / CHROMA
    if not folder.exists():
        return Finding("vectors", True, "no index is kept yet; small stores are searched exactly")
    if owner is not None:
        # A second process on one Chroma folder damages it.
        return Finding("vectors", True, "in use by the server, which checks it itself; stop it to have it checked here")
    lock = FileLock(home / "run" / "owner.lock", mode=0o600)
    try:
        with lock.acquire(timeout=0):
            done = subprocess.run(  # noqa: S603  # this interpreter, the text above
                [sys.executable, "-P", "-c", OPEN_CHROMA, str(folder)],
                stdin=subprocess.DEVNULL, capture_output=True, timeout=CHROMA_TIMEOUT, check=False,
            )  # fmt: skip
    except Timeout:
        return Finding("vectors", True, "in use by another tallystick process")
    except subprocess.TimeoutExpired:
        done = None
    if done is None or done.returncode:
        how = "it does not open in time" if done is None else f"opening it ends a process with {done.returncode}"
        aside = f"mv '{folder}' '{folder}.damaged'"
        return Finding("vectors", False, f"{folder}: {how}", f"It is derived and made anew: {aside}")
    collections, vectors = done.stdout.decode().split()
    return Finding("vectors", True, f"opens; {vectors} vectors in {collections} collections")


def _model(home: Path) -> Finding:
    try:
        MiniLm(load_settings(home).embedding_model).query("Is the model here?")
    except StoreUnusable as error:
        return Finding("model", False, str(error), "Install tallystick again, or unset TALLYSTICK_EMBEDDING_MODEL.")
    except Failure:
        return Finding("model", False, "not looked at, since the settings are wrong", "Mend the settings first.")
    return Finding("model", True, f"{MiniLm.model}, its checksum is right and it runs")


def _disk(home: Path) -> Finding:
    free = shutil.disk_usage(home).free
    text = f"{free / 1e9:.1f} GB free"
    return Finding("disk", free >= ROOM, text, "" if free >= ROOM else "Make room before memories cannot be stored.")
