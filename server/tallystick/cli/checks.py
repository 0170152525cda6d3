"""The checks of `tallystick doctor`. Each says what it found and what to do, and may bring along what mends it."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from .. import __version__
from ..connect import CLIENTS
from ..linear.workspaces import FILE
from ..owner import Owner, find, run_file
from ..store import MiniLm, StoreUnusable, checkup
from ..store.home import CHROMA, DATABASE
from .failure import Failure
from .serve import load_settings

ROOM = 256 * 1024 * 1024
"""Bytes on the disk below which a write may soon fail: SQLite's log and a new generation of vectors need room."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check; `action` is empty where there is nothing to do, and `mend` does it where a program can."""

    check: str
    ok: bool
    found: str
    action: str = ""
    mend: Callable[[], None] | None = None


def examine(home: Path) -> list[Finding]:
    """Every check of a home, in the order a person would ask."""
    return list(_findings(home))


def _findings(home: Path) -> Iterator[Finding]:
    yield _settings(home)
    if not home.is_dir():
        yield Finding("home", True, f"{home} is not made yet; the first start makes it")
        yield _model(home)
        return
    yield _writable(home)
    yield _permissions(home)
    owner = find(home)
    yield _owner(home, owner)
    yield from _database(home)
    yield _vectors(home, owner)
    yield _model(home)
    yield _disk(home)
    yield from _clients()


def _settings(home: Path) -> Finding:
    try:
        load_settings(home)
    except Failure as failure:
        return Finding("settings", False, str(failure), "Mend or unset what is named.")
    return Finding("settings", True, "what the environment sets is valid")


def _writable(home: Path) -> Finding:
    for folder in (home, home / "run", home / "logs"):
        if folder.exists() and not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
            found = "is no folder" if not folder.is_dir() else "cannot be written"
            return Finding("home", False, f"{folder} {found}", "Make it a folder that this user may write to.")
    return Finding("home", True, str(home))


def _permissions(home: Path) -> Finding:
    if sys.platform == "win32":
        return Finding("permissions", True, "left to Windows")
    paths = (
        home,
        *(home / "run").glob("*"),
        *(home / "logs").glob("*"),
        *home.glob(f"{DATABASE}*"),
        *home.glob(FILE),
    )
    open_ones = [path for path in paths if _mode(path) & 0o077]
    if not open_ones:
        return Finding("permissions", True, "for this user alone")
    names = " ".join(f"'{path}'" for path in open_ones)
    return Finding(
        "permissions", False, f"others may read {names}", f"chmod go-rwx {names}", partial(_close_to_others, open_ones)
    )


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:  # a running server removes files, and a link may lead nowhere
        return 0


def _close_to_others(paths: Sequence[Path]) -> None:
    for path in paths:
        path.chmod(_mode(path) & 0o700)


def _owner(home: Path, owner: Owner | None) -> Finding:
    if owner is not None:
        action = (
            "" if owner.version == __version__ else f"This program is {__version__}: tallystick stop ends the other."
        )
        return Finding("server", True, f"process {owner.pid}, version {owner.version}, at {owner.url}", action)
    if run_file(home).exists():
        return Finding("server", True, "none; the last one did not end in order, and the next start puts that right")
    return Finding("server", True, "none runs; `tallystick serve` or an MCP client starts one")


def _database(home: Path) -> Iterator[Finding]:
    report = checkup.look_at_database(home)
    if report is None:
        yield Finding("database", True, "not made yet; the first start makes it")
        return
    if report.fault is not None:
        action = "Stop the server and restore a backup (tallystick restore FILE); what is there is kept."
        yield Finding("database", False, f"{home / DATABASE}: {report.fault}", action)
        return
    yield Finding("database", True, f"{report.bytes / 1e6:.1f} MB, {report.memories} memories, quick_check ok")
    if report.behind:
        left = f"{report.behind} memories are not yet found by meaning; a running server goes on with them"
        yield Finding("indexing", True, left)
    else:
        yield Finding("indexing", True, "nothing is behind")
    if report.disagreements:
        told = "; ".join(report.disagreements)
        yield Finding("counts", False, told, "tallystick index rebuild", partial(_rebuild, home))
    else:
        yield Finding("counts", True, "records and what is derived from them agree")


def _vectors(home: Path, owner: Owner | None) -> Finding:
    if owner is not None:
        return Finding("vectors", True, "in use by the server, which checks it itself; stop it to have it checked here")
    try:
        report = checkup.look_at_vectors(home)
    except checkup.InUse:
        return Finding("vectors", True, "in use by another tallystick process")
    except OSError as error:  # the home's lock, without which nobody may look
        found = f"not looked at, since {error.filename} cannot be opened: {error.strerror}"
        return Finding("vectors", False, found, "Make the home writable for this user, then look again.")
    if report is None:
        return Finding("vectors", True, "no index is kept yet; small stores are searched exactly")
    if report.fault is not None:
        folder = home / CHROMA
        aside = folder.with_name(f"{folder.name}.damaged")
        action = f"It is derived and made anew: mv '{folder}' '{aside}'"
        return Finding("vectors", False, f"{folder}: {report.fault}", action, partial(_set_aside, folder, aside))
    return Finding("vectors", True, f"opens; {report.vectors} vectors in {report.collections} collections")


def _set_aside(folder: Path, aside: Path) -> None:
    shutil.rmtree(aside, ignore_errors=True)
    folder.rename(aside)


def _rebuild(home: Path) -> None:
    from .index import rebuilt

    rebuilt(home)


def _clients() -> Iterator[Finding]:
    """The clients that are installed: whether each starts a command that is there."""
    for client in CLIENTS.values():
        file, installed = client.find(sys.platform, Path.home(), os.environ)
        if not installed:
            continue
        check = f"client {client.name}"
        try:
            entry = client.kind(file.read_text("utf-8") if file.exists() else "").get(client.path)
        except (OSError, ValueError) as error:
            yield Finding(check, False, f"{file} cannot be read: {error}", "Mend that file; the client reads it, too.")
            continue
        started = entry.get("command") if isinstance(entry, dict) else None
        connect = f"tallystick connect {client.name} --write"
        if not isinstance(started, str):
            yield Finding(check, True, f"not connected; {connect} does it")
        elif shutil.which(started) is None:
            yield Finding(check, False, f"{file} starts {started!r}, which is not there", connect)
        else:
            yield Finding(check, True, f"connected by {file}")


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
