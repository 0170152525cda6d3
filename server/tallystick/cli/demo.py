"""`tallystick demo`: a server on a temporary home, memories put in and recalled, and what went over the wire."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..owner import find
from .failure import Failure

if TYPE_CHECKING:
    from ..owner import Owner

START = 60.0


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `demo` to the command line."""
    parser = commands.add_parser(
        "demo",
        help="see it work on a temporary home",
        description="Starts a server on a temporary home, stores a dozen memories through the Python client, recalls "
        "them over REST and over MCP, shows what went over the wire, stops the server and removes the home.",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the demonstration."""
    from .showing import Show
    from .tour import tour

    with tempfile.TemporaryDirectory(prefix="tallystick-demo-") as folder:
        home = Path(folder, "home")
        show = Show()
        show.step(f"A server of its own, on {home}")
        server = subprocess.Popen(  # noqa: S603  # this interpreter, this program
            [
                sys.executable,
                "-P",
                "-m",
                "tallystick",
                "serve",
                "--home",
                str(home),
                "--host",
                "127.0.0.1",
                "--port",
                "0",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        try:
            owner = _wait(home, server)
            show.say(f"It listens at {owner.url}; MCP clients speak to {owner.url}/mcp.")
            tour(owner, show)
        finally:
            server.terminate()
            server.wait(30)
        show.step(f"Stopped (exit code {server.returncode}) and removed")
    return 0


def _wait(home: Path, server: subprocess.Popen[bytes]) -> Owner:
    deadline = time.monotonic() + START
    while time.monotonic() < deadline and server.poll() is None:
        owner = find(home)
        if owner is not None:
            return owner
        time.sleep(0.05)
    raise Failure("The server of the demonstration did not start; what it said stands above.")
