"""`tallystick status` and `tallystick stop`."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from tests.e2e.process import note, serving, tallystick, wait_for_owner
from tests.e2e.test_bridge import HELLO, Pipes, call


def test_nothing_runs(home: Path) -> None:
    done = tallystick(home, "status")
    assert (done.returncode, "No server runs" in done.stdout) == (3, True)
    assert json.loads(tallystick(home, "status", "--json").stdout) == {"running": False, "home": str(home)}
    assert tallystick(home, "stop").stdout == f"No server runs for {home}.\n"


def test_status_tells_and_stop_ends(home: Path) -> None:
    with serving(home) as server:
        told = json.loads(tallystick(home, "status", "--json").stdout)
        assert (told["running"], told["pid"], told["url"]) == (True, server.process.pid, server.url)
        assert server.owner.token not in json.dumps(told)
        assert server.url in tallystick(home, "status").stdout
        stopped = tallystick(home, "stop")
        assert stopped.returncode == 0, stopped.stderr
        assert server.process.wait(1) == 0  # stop has waited for it
    assert not (home / "run" / "server.json").exists()


def test_a_bridge_starts_another_after_stop(home: Path) -> None:
    bridge = Pipes(home)
    bridge.ask(HELLO)
    first = wait_for_owner(home)
    kept = bridge.ask(call(1, "store_context", note()))["result"]["structuredContent"]
    assert json.loads(tallystick(home, "stop", "--json").stdout) == {"stopped": True}
    found = bridge.ask(call(2, "get_memory_detail", {"memory_id": kept["memory_id"]}))
    assert found["result"]["structuredContent"]["context"] == note()["context"]
    assert wait_for_owner(home).pid != first.pid
    bridge.end()


def test_a_server_that_was_killed_counts_as_none(home: Path) -> None:
    with serving(home) as server:
        server.stop(signal.SIGKILL)
        assert tallystick(home, "status").returncode == 3
        assert "No server runs" in tallystick(home, "stop").stdout
