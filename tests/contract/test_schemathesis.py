"""Schemathesis reads the contract and tries to make the server break it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from tallystick_contract.documents import load_openapi

from tests.live import Live

CONFIG = schemathesis.Config.from_path(Path(__file__).with_name("schemathesis.toml"))
SCHEMA = schemathesis.openapi.from_dict(load_openapi(), config=CONFIG)


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server of its own: the fuzzer erases what it finds and makes what it likes."""
    with Live(tmp_path_factory.mktemp("fuzzed")) as live:
        yield live


@SCHEMA.parametrize()
def test_the_server_keeps_the_contract(fuzzed: Live, case: schemathesis.Case[Any]) -> None:
    case.call_and_validate(base_url=fuzzed.url)
