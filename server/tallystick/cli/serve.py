"""`tallystick serve`: own a home and serve it, until told to stop."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..home import make_home
from ..owner import LOST_RACE, find
from .failure import Failure
from .options import add_home, home_of

if TYPE_CHECKING:
    from ..settings import Settings

IDLE = 1800.0
"""Seconds without a request after which a server that was started in the background ends."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `serve` to the command line."""
    parser = commands.add_parser(
        "serve",
        help="serve the memory over MCP and REST",
        description="Owns a home and serves it over MCP and REST until it is told to stop. Every setting may also be "
        "given in the environment, as TALLYSTICK_HOST and so on.",
    )
    add_home(parser)
    parser.add_argument("--host", help="address to listen on (default 127.0.0.1); others need a key to exist first")
    parser.add_argument("--port", help="port to listen on (default 8765); 0 takes a free one")
    parser.add_argument(
        "--tools", help="tool sets offered over MCP, comma-separated: nexus, memvault, recall (default all)"
    )
    parser.add_argument(
        "--background",
        action="store_true",
        help=f"as the bridge starts it: a free port unless one is set, and --idle-exit {IDLE:.0f}",
    )
    parser.add_argument("--idle-exit", type=float, metavar="SECONDS", help="end after so long without a request")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM (or, in the background, until idle)."""
    home = home_of(arguments)
    make_home(home)
    signal.signal(signal.SIGTERM, _leave)
    with _starting(home) if arguments.background else contextlib.nullcontext() as started:
        settings = load_settings(home, host=arguments.host, port=arguments.port, tools=arguments.tools)
        if arguments.background and "port" not in settings.model_fields_set:
            settings = settings.model_copy(update={"port": 0})
        from ..logs import configure
        from .running import serve

        configure(settings.log_level)
        idle = IDLE if arguments.background and arguments.idle_exit is None else arguments.idle_exit
        serve(settings, background=arguments.background, idle=idle, started=started)
    return 0


def load_settings(home: Path, **given: str | None) -> Settings:
    """The settings of the environment, with those given on the command line in their place (None: not given).

    Raises:
        Failure: one of them is wrong; the text names each.
    """
    from pydantic import ValidationError

    from ..settings import Settings

    try:
        return Settings(home=home, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        faults = [
            f"{name} ({f'--{name} or ' if name in given else ''}TALLYSTICK_{name.upper()}): {fault['msg']}"
            for fault in error.errors()
            for name in [str(fault["loc"][0])]
        ]
        raise Failure(f"The settings are wrong. {'; '.join(faults)}") from None


@contextlib.contextmanager
def _starting(home: Path) -> Iterator[contextlib.ExitStack]:
    """Let one background start at a time go on; the others end at once, before anything heavy is loaded.

    Yields a stack whose closing lets the next start in; it is closed once the server can be found.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(home / "run" / "start.lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise Failure("Another process is starting a server for this home.", LOST_RACE) from None
    with contextlib.ExitStack() as stack:
        stack.callback(lock.release)
        if find(home) is not None:
            raise Failure("A server for this home runs already.", LOST_RACE)
        yield stack


def _leave(signum: int, frame: object) -> None:
    sys.exit(0)  # before there is a server to stop; unwinds, so that the store is closed
