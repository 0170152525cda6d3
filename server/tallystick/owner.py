"""Finding the process that owns a home, and starting one. Light: the stdio bridge lives on it.

The owner writes run/server.json once it listens and removes it when it ends. After a crash the file stays; it is
recognised as stale because its process is gone, nothing answers at its address, or nobody holds the home's lock.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .home import make_home

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK = Path("run", "owner.lock")
"""What the store locks for as long as it has a home open (filelock: flock, or the first byte on Windows)."""

LOST_RACE = 75
"""Exit code of a background start that found another owner there first (EX_TEMPFAIL of sysexits.h)."""

PATIENCE = 60.0
"""Seconds to wait for an owner to come up: opening a large or damaged home takes a while."""

LARGEST = 4 * 1024 * 1024
"""Bytes of the background server's own log after which the next start begins a new one."""

_POLL = 0.02


class OwnerMissing(Exception):
    """No owner answers for this home and none could be started; the text says why and where to look."""


@dataclass(frozen=True, slots=True)
class Owner:
    """What run/server.json says of the running owner. `token` opens the server for this machine's own programs."""

    pid: int
    host: str
    port: int
    token: str = field(repr=False)
    version: str
    home: str
    started: str

    @property
    def address(self) -> tuple[str, int]:
        """Host and port, as a program on this machine reaches them."""
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host), self.port  # noqa: S104  # read, not bound

    @property
    def url(self) -> str:
        host, port = self.address
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def run_file(home: Path) -> Path:
    return home / "run" / "server.json"


def publish(home: Path, owner: Owner) -> None:
    """Write run/server.json whole or not at all, for its user's eyes only."""
    target = run_file(home)
    draft = target.with_name(f"server.json.{owner.pid}")
    draft.unlink(missing_ok=True)
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump(asdict(owner), file)
    draft.replace(target)


def withdraw(home: Path, owner: Owner) -> None:
    """Remove run/server.json if it is still this owner's."""
    if _read(home) == owner:
        run_file(home).unlink(missing_ok=True)


def find(home: Path) -> Owner | None:
    """The owner that run/server.json names, or None where it is stale or there is none."""
    owner = _read(home)
    if owner is None or not _alive(owner):
        return None
    with _lock(home) as free:  # last, since it is taken for a moment: id and port may be other programs' by now
        return None if free else owner


def gone(home: Path, owner: Owner) -> bool:
    """Whether an owner has closed its store and let go of the home."""
    now = find(home)
    if now is not None:
        return now != owner
    with _lock(home) as free:
        return free


def discard(home: Path) -> None:
    """Remove what killed owners left in run/server.json, or beside it, so that nobody takes it for the next one's."""
    left = list(run_file(home).parent.glob("server.json*"))
    if left:
        with _lock(home) as free:
            for path in left if free else ():
                path.unlink(missing_ok=True)


def ensure(home: Path, *, patience: float = PATIENCE) -> Owner:
    """The running owner of a home, started in the background where there is none.

    Any number of processes may ask at once: the file lock lets one of those they start live, the others end with
    LOST_RACE and all find the same owner.

    Raises:
        HomeInvalid: the home cannot be made.
        OwnerMissing: the owner failed at its start (its words are in the text), or did not come up in time.
    """
    make_home(home)
    log = home / "logs" / "server.log"
    deadline = time.monotonic() + patience
    child: subprocess.Popen[bytes] | None = None
    mark = 0
    while time.monotonic() < deadline:
        owner = find(home)
        if owner is not None:
            return owner
        if child is None:
            with contextlib.suppress(OSError):  # not there yet; or in use, on Windows
                if log.stat().st_size > LARGEST:
                    log.replace(log.with_name(f"{log.name}.1"))
            mark = log.stat().st_size if log.exists() else 0
            child = _spawn(home, log)
        code = child.poll()
        if code == LOST_RACE:
            child = None  # whoever holds the home comes up, or lets go of it: then the next start succeeds
            time.sleep(0.2)
        elif code is not None:
            raise OwnerMissing(f"The server could not be started: {_last_words(log, mark)}")
        time.sleep(_POLL)
    raise OwnerMissing(f"No server came up for {str(home)!r} within {patience:.0f} s; see {str(log)!r}.")


def _spawn(home: Path, log: Path) -> subprocess.Popen[bytes]:
    # Its own session, so that it outlives the client that happened to start it; "serve" then ends by itself when idle.
    windows = sys.platform == "win32"
    with open(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab") as output:
        return subprocess.Popen(  # noqa: S603  # this interpreter, this program; -P: no module from the home
            [sys.executable, "-P", "-m", "tallystick", "serve", "--background", "--home", str(home)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=home,
            start_new_session=not windows,
            creationflags=0x00000208 if windows else 0,  # DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP
        )


def _read(home: Path) -> Owner | None:
    try:
        owner = Owner(**json.loads(run_file(home).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):  # absent, unreadable, or of another version: no owner we can speak to
        return None
    numbers = (owner.pid, owner.port)
    texts = (owner.host, owner.token, owner.version, owner.home, owner.started)
    sound = all(type(one) is int and one > 0 for one in numbers) and all(isinstance(one, str) for one in texts)
    return owner if sound else None


@contextlib.contextmanager
def _lock(home: Path) -> Iterator[bool]:
    """Whether nobody has the home's lock. Where so, it is held for the length of the block."""
    # Not through filelock, which the bridge cannot afford to import.
    try:
        descriptor = os.open(home / LOCK, os.O_RDWR)
    except OSError:
        yield True
        return
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = True
    except OSError:
        free = False
    try:
        yield free
    finally:
        os.close(descriptor)  # and with it the lock


def _alive(owner: Owner) -> bool:
    if sys.platform != "win32":  # os.kill would end the process there
        try:
            os.kill(owner.pid, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except PermissionError:
            return False  # another user's process, so it is not the one that wrote our file
    try:
        socket.create_connection(owner.address, timeout=2).close()
    except (OSError, OverflowError, ValueError):  # the last two: no port, no host name
        return False  # after a crash the id may be a zombie's, or another program's by now
    return True


def _last_words(log: Path, mark: int) -> str:
    with contextlib.suppress(OSError), log.open("rb") as file:
        file.seek(mark)
        said = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
        if said:
            return said[-1].removeprefix("tallystick: ")
    return f"it said nothing; see {str(log)!r}."
