"""Homes and servers for the tests on processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.process import Serving, serving, stop_owner


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home that is not made yet. An owner that something starts for it in the background is ended with the test."""
    path = tmp_path / "home é"
    yield path
    stop_owner(path)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server for the tests of one file."""
    with serving(tmp_path_factory.mktemp("shared") / "home") as running:
        yield running
