"""What the store raises. It knows no wire codes: the endpoint and the command line turn these into theirs."""

from __future__ import annotations

import sqlite3
from pathlib import Path


class StoreError(Exception):
    """Anything the store refuses."""


class NotFound(StoreError):
    """No such record of this owner: another user's id and an unknown one are told apart by nobody."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"There is no {kind} {name}.")
        self.kind = kind
        self.name = name


class Conflict(StoreError):
    """The change was made against a state that is no longer the current one; nothing was changed."""


class Unfit(StoreError):
    """A record of an export does not go together with what is here, or with what came before it; nothing was changed."""


class StoreBusy(StoreError):
    """Another write held the database longer than a caller should wait; nothing was changed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"The store stayed busy for {seconds:g} seconds.")


class StoreFull(StoreError):
    """There is no room on the disk for the change; nothing was changed."""

    def __init__(self, home: Path) -> None:
        super().__init__(f"There is no room left on the disk that holds {home}.")


class HomeInUse(StoreError):
    """Another process owns the home."""

    def __init__(self, home: Path) -> None:
        super().__init__(
            f"{home} is in use by another tallystick process. "
            "Speak to that one, stop it first, or give another folder with --home or TALLYSTICK_HOME."
        )
        self.home = home


class StoreUnusable(StoreError):
    """The home or a file in it cannot be used as it is. Nothing in it was changed."""

    def __init__(self, path: Path, reason: str, advice: str) -> None:
        super().__init__(f"{path} cannot be used: {reason}. {advice}")
        self.path = path
        self.reason = reason


def is_full(error: BaseException) -> bool:
    """Whether SQLite failed for want of room, by itself or below SQLAlchemy."""
    return _code(error) == sqlite3.SQLITE_FULL


def unwritable(error: BaseException) -> bool:
    """Whether SQLite failed since a file could not be written or made: no room, no permission, a disk that fails."""
    return _code(error) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


def _code(error: BaseException) -> int:
    """SQLite's primary result code, which is the low byte of the extended one; 0 for an error that is not SQLite's."""
    cause = getattr(error, "orig", error)
    return getattr(cause, "sqlite_errorcode", 0) & 0xFF if isinstance(cause, sqlite3.Error) else 0
