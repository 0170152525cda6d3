"""run/server.json: whose it is, and what is made of one that a killed owner left."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tallystick import owner as owners
from tallystick.owner import Owner, discard, find, publish, run_file
from tallystick.store.home import LOCK, owner_lock

from tests.e2e.process import tallystick
from tests.e2e.upstream import Upstream, result

SAID: dict[str, Any] = {
    "pid": os.getpid(), "host": "127.0.0.1", "port": 0, "token": "run-token", "version": "1", "home": "/x", "started": "x",
}  # fmt: skip


@pytest.fixture
def port() -> Iterator[int]:
    """Of something that listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def run(home: Path) -> Path:
    """A home with its run folder."""
    run_file(home).parent.mkdir(parents=True)
    return home


def test_an_owner_is_found_while_the_home_is_locked(run: Path, port: int) -> None:
    owner = Owner(**{**SAID, "port": port})
    publish(run, owner)
    draft = run_file(run).with_name("server.json.4711")  # of one that was killed between writing and renaming it
    draft.write_text("{", "utf-8")
    assert find(run) is None  # nobody ever locked this home
    with owner_lock(run):
        assert find(run) == owner
        discard(run)
        assert find(run) == owner
        assert draft.exists()
    assert find(run) is None
    assert run_file(run).exists()  # to look changes nothing
    discard(run)
    assert {path.name for path in run_file(run).parent.iterdir()} == {"owner.lock"}
    with owner_lock(run).acquire(timeout=0):
        pass  # nothing is left locked


def test_the_lock_is_the_stores() -> None:
    assert owners.LOCK == LOCK


@pytest.mark.parametrize(
    "wrong",
    [
        {"pid": "1"}, {"pid": True}, {"pid": 0}, {"pid": -1}, {"pid": 2**70}, {"port": "80"}, {"port": None},
        {"port": 99999}, {"host": 5}, {"host": None}, {"host": "a\0b"}, {"host": "x" * 300}, {"token": []}, {"more": 1},
    ],
    ids=str,
)  # fmt: skip
def test_one_with_wrong_members_is_none(run: Path, port: int, wrong: dict[str, Any]) -> None:
    run_file(run).write_text(json.dumps({**SAID, "port": port, **wrong}), "utf-8")
    with owner_lock(run):
        assert find(run) is None


def test_the_token_of_a_killed_owner_goes_to_no_other_server(run: Path) -> None:
    upstream = Upstream(lambda body: result(body, {}))
    try:
        port = int(upstream.url.rpartition(":")[2].partition("/")[0])
        publish(run, Owner(**{**SAID, "port": port}))
        done = tallystick(run, "mcp", "--check")
        assert done.returncode == 0, done.stdout
        assert upstream.url not in done.stdout
        assert upstream.seen == []
    finally:
        upstream.close()
