"""Options that several commands share."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ..home import resolve_home

HOME = "TALLYSTICK_HOME"


def add_home(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--home", metavar="FOLDER", help=f"where everything is kept (default: {HOME}, else the data folder)"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def home_of(arguments: argparse.Namespace) -> Path:
    """The home a command is about.

    Raises:
        HomeInvalid: the path given cannot be a home.
    """
    # Read here and not through settings.py, which the bridge cannot afford to import.
    return resolve_home(arguments.home if arguments.home is not None else os.environ.get(HOME))


def add_limit(parser: argparse.ArgumentParser, default: int) -> None:
    said = f"default {default}; 0: all" if default else "default: all"
    parser.add_argument("--limit", type=whole, default=default, metavar="N", help=f"at most so many ({said})")


def whole(text: str) -> int:
    """A number from 0 on, as the type of an argument."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 on")
    return int(text)
