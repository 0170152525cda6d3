"""Keeps one server of a home up, and kills it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from filelock import FileLock
from tallystick.home import make_home
from tallystick.owner import LOST_RACE, Owner, find, gone

from tests.e2e.process import COMMAND, environment

ROOT = Path(__file__).parents[2]
CHEAP = [sys.executable, "-m", "tests.torture.cheap", "serve", "--port", "0"]
START = 120.0


class ServerFailed(Exception):
    """A server ended at its start, or did not come up; the text has its last words."""


class Keeper:
    """The server of one home.

    With the real model it is started as a bridge starts it, and bridges that find none start one as well: whichever is
    first is the owner. The cheap one must not be followed by one with the real model, so that the keeper holds the lock
    that lets one background start at a time go on: what bridges start ends at once, and they wait for the keeper's.

    Args:
        home: its folder.
        cheap: whether it is served with an embedder that costs next to nothing.
    """

    def __init__(self, home: Path, *, cheap: bool) -> None:
        self.home = home
        self.log = home.parent / f"{home.name}.log"
        self._command = CHEAP if cheap else [*COMMAND, "serve", "--background"]
        self._process: subprocess.Popen[bytes] | None = None
        make_home(home)
        self._held = FileLock(home / "run" / "start.lock", mode=0o600)
        if cheap:
            self._held.acquire(timeout=0)

    def start(self) -> None:
        """Start a server, and do not wait for it."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env=environment(self.home, TALLYSTICK_STRICT="1"),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def wait(self) -> Owner:
        """The owner, once it listens.

        Raises:
            ServerFailed: none came up.
        """
        until = time.monotonic() + START
        while time.monotonic() < until:
            owner = find(self.home)
            if owner is not None:
                return owner
            assert self._process is not None
            ended = self._process.poll()
            if ended == LOST_RACE:
                time.sleep(0.2)  # to one that a bridge started, and that may have been killed since
                self.start()
            elif ended is not None:
                raise ServerFailed(f"The server ended with {ended} at its start: {self._last_words()}")
            time.sleep(0.02)
        raise ServerFailed(f"No server came up within {START:.0f} s: {self._last_words()}")

    def kill(self) -> None:
        """End whichever server there is, starting or listening, by SIGKILL."""
        owner = find(self.home)
        process = self._process
        assert process is not None
        if owner is not None and owner.pid != process.pid:
            os.kill(owner.pid, signal.SIGKILL)
            while not gone(self.home, owner):
                time.sleep(0.002)
        process.kill()
        process.wait()

    def stop(self) -> None:
        """End the owner in order.

        Raises:
            ServerFailed: it did not end, or not well.
        """
        owner = find(self.home)
        assert owner is not None
        os.kill(owner.pid, signal.SIGTERM)
        until = time.monotonic() + START
        while not gone(self.home, owner):
            if time.monotonic() > until:
                raise ServerFailed(f"The server did not end: {self._last_words()}")
            time.sleep(0.02)
        assert self._process is not None
        if owner.pid != self._process.pid:
            self._process.terminate()  # it was about to lose the race to that owner, and may have taken its place
        ended = self._process.wait(START)
        if ended and owner.pid == self._process.pid:
            raise ServerFailed(f"The server ended with {ended}: {self._last_words()}")

    def close(self) -> None:
        """Kill what is left, and let bridges start servers again."""
        if self._process is not None:
            self.kill()
        self._held.release()

    def _last_words(self) -> str:
        return self.log.read_text("utf-8", "replace")[-2000:]
