"""Starting the real command in processes of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
from tallystick.owner import Owner, find

COMMAND = [sys.executable, "-P", "-m", "tallystick"]
START = 60.0


def environment(home: Path | str | None, **more: str) -> dict[str, str]:
    """What a process inherits, with no setting of this machine's own."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("TALLYSTICK_")}
    kept["TALLYSTICK_LINEAR_URL"] = "http://127.0.0.1:9/graphql"  # no test speaks to the real one
    return {**kept, **({} if home is None else {"TALLYSTICK_HOME": str(home)}), **more}


def tallystick(home: Path | str | None, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end. Further keywords go to subprocess.run."""
    env = environment(home, **more.pop("env", {}))
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(
        [*COMMAND, *arguments],
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        **more,
    )


def answer(home: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Any:
    """What a command with --json prints."""
    done = tallystick(home, *arguments, "--json", env=env or {})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Serving:
    """A `tallystick serve` process of a test's own. Its output is kept in files beside the home."""

    def __init__(self, home: Path, *arguments: str, **env: str) -> None:
        self.home = home
        self.output = home.parent / f"{home.name}.out"
        self.errors = home.parent / f"{home.name}.err"
        with self.output.open("ab") as out, self.errors.open("ab") as err:
            self.process = subprocess.Popen(
                [*COMMAND, "serve", "--port", "0", *arguments],
                env=environment(home, TALLYSTICK_STRICT="1", **env),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
        self.owner = wait_for_owner(home, self.process)
        self.url = self.owner.url

    def client(self, key: str | None = None) -> httpx.Client:
        """An HTTP client with a key, or the run token."""
        return httpx.Client(
            base_url=self.url, headers={"authorization": f"Bearer {key or self.owner.token}"}, timeout=30
        )

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and give the exit code."""
        self.process.send_signal(number)
        return self.process.wait(30)


def wait_for_owner(home: Path, process: subprocess.Popen[Any] | None = None) -> Owner:
    """The owner of a home, once it listens."""
    until = time.monotonic() + START
    while time.monotonic() < until:
        owner = find(home)
        if owner is not None and (process is None or owner.pid == process.pid):
            return owner
        assert process is None or process.poll() is None, f"serve ended with {process.returncode}"
        time.sleep(0.02)
    raise AssertionError(f"no server for {home}")


@contextlib.contextmanager
def serving(home: Path, *arguments: str, **env: str) -> Iterator[Serving]:
    """A server for the length of a block."""
    server = Serving(home, *arguments, **env)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


def stop_owner(home: Path) -> None:
    """End the owner that a bridge started, and wait until its home is free."""
    owner = find(home)
    if owner is None:
        return
    os.kill(owner.pid, signal.SIGTERM)
    until = time.monotonic() + 30
    while find(home) is not None and time.monotonic() < until:
        time.sleep(0.02)


def note(number: int = 1) -> dict[str, str]:
    """Arguments of store_context."""
    return {
        "summary": f"Decided number {number}",
        "context": f"The long story of decision number {number}.",
        "conversation_id": "nc-e2e-20260529",
    }
