"""The one way a command fails: a text for the person at the terminal, never a traceback."""

from __future__ import annotations


class Failure(Exception):
    """A command cannot do what it was asked; the text says why and what to do.

    Args:
        text: printed to standard error after `tallystick: `.
        exit_code: what the process ends with.
    """

    def __init__(self, text: str, exit_code: int = 1) -> None:
        super().__init__(text)
        self.exit_code = exit_code
