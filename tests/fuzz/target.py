"""What is attacked: a server with everything but the model, whose vectors cost as much as all the rest, and a Linear."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from tests.linear.data import KEYS
from tests.linear.server import LinearServer
from tests.live import Live
from tests.store.conftest import HashEmbedder


@contextlib.contextmanager
def target(home: Path) -> Iterator[Live]:
    """A server of its own, not yet running: the fuzzer erases what it finds and makes what it likes."""
    with LinearServer(requests_an_hour=10**9) as linear:
        yield Live(home, embedder=HashEmbedder(), linear_url=linear.url, linear_keys=KEYS)
