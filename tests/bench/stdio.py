"""From starting `tallystick mcp` to the answer of initialize, with an owner running and without one."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.table import Row

RUNS = 7
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}


def measure() -> list[Row]:
    """Rows of the table, against starting a Python that does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        bare = statistics.median(_timed([sys.executable, "-c", "input(); print('{}')"]) for _ in range(RUNS))
        bridge = [sys.executable, "-m", "tallystick", "mcp", "--home", str(Path(folder) / "home")]
        cold = _timed(bridge)
        warm = statistics.median(_timed(bridge) for _ in range(RUNS))
        _stop(Path(folder) / "home")
    return [
        Row("a Python that answers one line", bare * 1e3, "ms", 1.0),
        Row("tallystick mcp to initialize, owner runs", warm * 1e3, "ms", warm / bare, "≤ 250 ms"),
        Row("tallystick mcp to initialize, owner started", cold * 1e3, "ms", cold / bare),
    ]


def _timed(command: list[str]) -> float:
    started = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(HELLO).encode() + b"\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        took = time.perf_counter() - started
        assert answer.startswith(b"{"), answer
        process.stdin.close()
    return took


def _stop(home: Path) -> None:
    import os
    import signal

    pid = json.loads((home / "run" / "server.json").read_text())["pid"]
    os.kill(pid, signal.SIGTERM)
    for _ in range(200):
        if not (home / "run" / "server.json").exists():
            return
        time.sleep(0.05)
