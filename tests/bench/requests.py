"""CPU a request: a bare Starlette route, REST recall_memory, and tools/call of MCP in both eras, in one run."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.bench.table import Row

TICKS = os.sysconf("SC_CLK_TCK")
ROUNDS, REQUESTS = 5, 400
MODERN = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "recall_memory"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}


def measure() -> list[Row]:
    """Rows of the table: CPU microseconds of the server process a request, medians over the rounds, interleaved."""
    with tempfile.TemporaryDirectory() as folder, _bare() as bare, _tallystick(Path(folder)) as (server, url, key):
        headers = {"authorization": f"Bearer {key}"}
        call = {"name": "recall_memory", "arguments": {"data": {"limit": 5}}}
        rpc: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        modern = {**rpc, "params": {**call, "_meta": META}}
        accept = {**headers, "accept": "application/json, text/event-stream"}
        with httpx.Client(timeout=30) as client:
            for n in range(50):
                body = {"summary": f"Note {n}", "context": "text " * 50, "conversation_id": "nc-bench-20260529"}
                client.post(f"{url}/v1/memories", json=body, headers=headers).raise_for_status()
            time.sleep(3)  # let the indexer finish: its CPU is not a request's

            def post(to: str, json: Any, sent: dict[str, str]) -> None:
                answer = client.post(to, json=json, headers=sent)
                assert answer.status_code == 200, answer.text

            cases: dict[str, tuple[int, Callable[[], None]]] = {
                "bare Starlette JSON route": (bare[0], lambda: post(bare[1], {"limit": 5}, {})),
                "REST recall_memory (5 items)": (
                    server,
                    lambda: post(f"{url}/v1/memory-recall", {"limit": 5}, headers),
                ),
                "MCP 2026-07-28 recall_memory": (server, lambda: post(f"{url}/mcp", modern, {**accept, **MODERN})),
                "MCP 2025-11-25 recall_memory": (server, lambda: post(f"{url}/mcp", rpc, accept)),
            }
            costs: dict[str, list[float]] = {name: [] for name in cases}
            for _ in range(ROUNDS):
                for name, (pid, request) in cases.items():
                    costs[name].append(_cpu(pid, request))
    base = sorted(costs["bare Starlette JSON route"])[ROUNDS // 2]
    middle = {name: sorted(seen)[ROUNDS // 2] for name, seen in costs.items()}
    aims = {"REST recall_memory (5 items)": "≤ 1.5"}
    return [Row(name, cost * 1e6, "µs CPU", cost / base, aims.get(name, "")) for name, cost in middle.items()]


def _cpu(pid: int, request: Callable[[], None]) -> float:
    before = _spent(pid)
    for _ in range(REQUESTS):
        request()
    return (_spent(pid) - before) / REQUESTS


def _spent(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


@contextmanager
def _bare() -> Iterator[tuple[int, str]]:
    code = (
        "import sys, uvicorn\n"
        "from starlette.applications import Starlette\n"
        "from starlette.responses import JSONResponse\n"
        "from starlette.routing import Route\n"
        "async def echo(request): return JSONResponse(await request.json())\n"
        "app = Starlette(routes=[Route('/', echo, methods=['POST'])])\n"
        "uvicorn.run(app, port=int(sys.argv[1]), log_level='warning', access_log=False)\n"
    )
    port = _free()
    with _process([sys.executable, "-c", code, str(port)], port) as process:
        yield process.pid, f"http://127.0.0.1:{port}/"


@contextmanager
def _tallystick(home: Path) -> Iterator[tuple[int, str, str]]:
    port = _free()
    command = [sys.executable, "-m", "tallystick"]
    with _process([*command, "serve", "--home", str(home), "--port", str(port)], port) as process:
        made = [*command, "keys", "create", "--home", str(home), "--agent", "bench", "--json"]
        printed = subprocess.run(made, capture_output=True, text=True, check=True).stdout
        import json

        yield process.pid, f"http://127.0.0.1:{port}", json.loads(printed)["key"]


@contextmanager
def _process(command: list[str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            for _ in range(600):
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.05)
            yield process
        finally:
            process.terminate()


def _free() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
