"""The command `tallystick` with an embedder that costs next to nothing in place of the model. Everything else is its own."""

from __future__ import annotations

import sys

import tallystick.store
from tallystick.cli import main

from tests.store.conftest import HashEmbedder


def run() -> int:
    """Run the command line."""
    tallystick.store.MiniLm = lambda path=None: HashEmbedder()  # type: ignore[misc, assignment, return-value]
    return main()


if __name__ == "__main__":
    sys.exit(run())
