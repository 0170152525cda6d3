"""The home folder: 0700 where it is made here, owned by one process at a time through a file lock."""

from __future__ import annotations

import os
from pathlib import Path

from filelock import FileLock, Timeout

from .errors import HomeInUse, StoreUnusable

DATABASE = "tallystick.db"
CHROMA = "chroma"
OLD_CHROMA = "chroma.old"
BACKUPS = "backups"
LOCK = Path("run", "owner.lock")


class Home:
    """A home this process owns until `release`."""

    def __init__(self, path: Path, lock: FileLock) -> None:
        self.path = path
        self._lock = lock

    @classmethod
    def take(cls, path: Path) -> Home:
        """Make the folder if needed, for this user alone, and take its lock. One that is there stays as it is.

        Raises:
            HomeInUse: another process has it.
            StoreUnusable: it is no folder, or nothing can be written there.
        """
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            (path / LOCK).parent.mkdir(mode=0o700, exist_ok=True)
            lock = owner_lock(path)
            lock.acquire(timeout=0)
        except Timeout:
            raise HomeInUse(path) from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreUnusable(path, reason.lower(), "Give a folder this user may write to.") from error
        return cls(path, lock)

    @property
    def database(self) -> Path:
        """Where the database is."""
        return self.path / DATABASE

    @property
    def chroma(self) -> Path:
        """Where the derived vector index is."""
        return self.path / CHROMA

    @property
    def backup_folder(self) -> Path:
        """Where backups are kept."""
        return self.path / BACKUPS

    def backups(self) -> list[str]:
        """Names of the backups kept in the home, oldest name first."""
        folder = self.backup_folder
        return sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []

    def release(self) -> None:
        """Give the home back. The lock file stays: removing it would let two processes hold two locks of one name."""
        self._lock.release()


def owner_lock(home: Path) -> FileLock:
    """The lock of a home; whoever holds it may touch what is in there."""
    return FileLock(home / LOCK, mode=0o600, thread_local=False)


def private(path: Path) -> None:
    """Make a folder for this user alone."""
    path.mkdir(mode=0o700, exist_ok=True)
    os.chmod(path, 0o700)
