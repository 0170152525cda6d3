"""The argument parser: one module a command group, each adding its own commands."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import sys
from typing import Any

from .. import __version__
from ..home import HomeInvalid
from ..owner import OwnerMissing
from . import (
    capture,
    connect,
    demo,
    doctor,
    exporting,
    index,
    keys,
    linear,
    mcp,
    memories,
    moving,
    owning,
    serve,
    sessions,
    tasks,
)
from .failure import Failure

INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """Takes options by their whole names only; so do the commands below it, which argparse makes of the same class."""

    def __init__(self, **options: Any) -> None:  # those of ArgumentParser
        super().__init__(**options, allow_abbrev=False)


def build() -> argparse.ArgumentParser:
    """The whole command line."""
    parser: argparse.ArgumentParser = _Parser(
        prog="tallystick",
        description="One self-hosted memory behind all your AI agents, with its contract as the source of truth.",
    )
    parser.add_argument("--version", action="version", version=f"tallystick {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for group in (
        serve,
        owning,
        mcp,
        connect,
        keys,
        memories,
        sessions,
        tasks,
        linear,
        capture,
        index,
        moving,
        exporting,
        doctor,
        demo,
    ):
        group.add(commands)
    return parser


def run(argv: list[str] | None) -> int:
    """Parse, run the command, and turn each foreseen failure into one line on standard error."""
    _prepare()
    arguments = build().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except (HomeInvalid, OwnerMissing) as error:
        return _fail(str(error), 1)
    except Failure as failure:
        return _fail(str(failure), failure.exit_code)
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        gone = isinstance(error, BrokenPipeError)  # `tallystick memories list | head` is no failure
        if not gone and error.errno != errno.ENOSPC:
            raise
        # Without this the interpreter complains at exit.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0 if gone else _fail(f"{error.strerror}. Make room, and try again.", 1)
    return code


def _fail(text: str, code: int) -> int:
    print(f"tallystick: {text}", file=sys.stderr)
    return code


def _prepare() -> None:
    """What holds for every command, and for the processes it starts."""
    # Databases, indexes and logs hold private texts: whatever is made is for its user alone.
    os.umask(0o077)
    # A path or memory that the terminal's encoding lacks is shown escaped instead of ending the command.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
