"""Homes that are found damaged: refused untouched, or mended without a memory lost. See damage.py."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from tests.e2e.damage import STATES, WORDS, State, bytes_of, filled, table
from tests.e2e.process import note, serving, tallystick

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str]]:
    """A home in order, and the ids of its memories."""
    home = tmp_path_factory.mktemp("whole") / "home"
    return home, set(filled(home))


@pytest.fixture
def home(whole: tuple[Path, set[str]], tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(whole[0], tmp_path / "home")


@pytest.mark.parametrize("state", [one for one in STATES if one.refused], ids=lambda one: one.damage.__name__)
def test_refused_and_left_as_it_is(state: State, home: Path) -> None:
    state.damage(home)
    before = bytes_of(home)
    done = tallystick(home, "serve", "--port", "0")
    assert (done.returncode, state.refused in done.stderr, "Traceback" in done.stderr) == (1, True, False), done.stderr
    assert str(home) in done.stderr
    assert bytes_of(home) == before


@pytest.mark.parametrize("state", [one for one in STATES if not one.refused], ids=lambda one: one.damage.__name__)
def test_served_and_mended(state: State, home: Path, whole: tuple[Path, set[str]]) -> None:
    _, ids = whole
    state.damage(home)
    with serving(home) as server, server.client() as client:
        found = client.post("/v1/memory-search", json={"query": f"which {WORDS}", "max_results": 12}).json()["memories"]
        assert {one["memory_id"] for one in found} <= ids
        assert found
        listed = client.get("/v1/memories", params={"limit": 100}).json()["items"]
        assert {one["id"] for one in listed} == ids
        made = client.post("/v1/memories", json=note(99))
        assert made.status_code == 201
        until = time.monotonic() + 60
        while client.get("/health/ready").json() != {"status": "ready", "index": "current"}:
            assert time.monotonic() < until
            time.sleep(0.05)
        index = client.get("/v1/index").json()
        assert index["memories"]["behind"] == 0
        assert index["vectors"]["indexed"] == index["vectors"]["total"] > len(ids)
        assert server.stop() == 0


def test_the_readme_tells_it() -> None:
    assert table() in README, "python -m tests.e2e.damage prints what belongs there"
