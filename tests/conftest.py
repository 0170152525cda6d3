"""Fixtures that several test folders share."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.linear.data import KEYS
from tests.linear.server import LinearServer
from tests.live import Live


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One server for the whole run, with a Linear of its own. Tests do not see each other: each makes users of its own."""
    with (
        LinearServer() as linear,
        Live(tmp_path_factory.mktemp("home"), linear_url=linear.url, linear_keys=KEYS) as server,
    ):
        server.linear = linear
        yield server


@pytest.fixture
def rest(live: Live) -> Iterator[httpx.Client]:
    """An HTTP client of a new user with all scopes."""
    with live.rest() as client:
        yield client
