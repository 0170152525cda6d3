"""The command `tallystick`. Imports nothing heavy, so that `tallystick mcp` answers at once."""

from __future__ import annotations

__all__ = ["main"]


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        argv: the arguments after the program's name; those of the process where None.
    """
    from .parser import run

    return run(argv)
