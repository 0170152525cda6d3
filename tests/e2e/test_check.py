"""`tallystick mcp --check`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tallystick.owner import find
from tallystick_contract.documents import load_tools

from tests.e2e.process import Serving, answer, tallystick


def test_it_reports_what_works(server: Serving) -> None:
    done = tallystick(server.home, "mcp", "--check")
    assert done.returncode == 0, done.stdout
    assert server.url in done.stdout
    for word in ("initialize", f"{len(load_tools())} tools", "recall_memory", "get_help", "All is well"):
        assert word in done.stdout
    assert server.owner.token not in done.stdout + done.stderr


def test_it_starts_a_server_where_none_runs(home: Path) -> None:
    assert tallystick(home, "mcp", "--check").returncode == 0
    assert find(home) is not None


def test_it_fails_with_the_reason(home: Path, server: Serving) -> None:
    answer(home, "keys", "list")
    (home / "tallystick.db").write_bytes(b"somebody's file")
    done = tallystick(home, "mcp", "--check")
    assert done.returncode == 1
    assert str(home / "tallystick.db") in done.stdout
    wrong = tallystick(
        home, "mcp", "--check", "--url", server.url, env={"TALLYSTICK_API_KEY": "tsk_marked_secret_0123456789"}
    )
    assert wrong.returncode == 1
    assert "401" in wrong.stdout
    assert "marked_secret" not in wrong.stdout + wrong.stderr


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "http://[::1",
        "http://127.0.0.1:no",
        "http://127.0.0.1:99999",
        "http://..x",
        "http://a b",
        "http://a/é",
    ],
)
def test_an_address_that_is_none_is_refused_at_once(tmp_path: Path, url: str) -> None:
    done = tallystick(tmp_path, "mcp", "--url", url, env={"TALLYSTICK_API_KEY": "k"})
    assert (done.returncode, done.stdout, "https://memory.example" in done.stderr) == (1, "", True)
