"""A Linear of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.linear.server import LinearServer


@pytest.fixture
def linear() -> Iterator[LinearServer]:
    with LinearServer() as server:
        yield server
