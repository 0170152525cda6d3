"""`tallystick mcp` as a process: the official client, raw bytes, several at once, an owner that dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tallystick.owner import ensure, find
from tallystick_contract.documents import load_tools

from tests.e2e.process import COMMAND, Serving, answer, environment, note, serving, tallystick, wait_for_owner

HELLO: dict[str, Any] = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}  # fmt: skip
ODD = "★ 🎉 完成 naïve"


class Pipes:
    """A bridge process and its three pipes, as bytes."""

    def __init__(self, home: Path, *arguments: str, **env: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "mcp", *arguments],
            env=environment(home, **env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._stdin, self._stdout = self.process.stdin, self.process.stdout

    def send(self, *messages: dict[str, Any] | bytes) -> None:
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message, ensure_ascii=False).encode()
            self._stdin.write(line + b"\n")
        self._stdin.flush()

    def receive(self) -> dict[str, Any]:
        line = self._stdout.readline()
        assert line.endswith(b"\n"), "the bridge ended"
        value: dict[str, Any] = json.loads(line.decode("utf-8"))
        assert value["jsonrpc"] == "2.0"
        return value

    def ask(self, message: dict[str, Any] | bytes) -> dict[str, Any]:
        self.send(message)
        return self.receive()

    def end(self) -> tuple[list[dict[str, Any]], str]:
        """Close standard input; what still came, and what was said on standard error."""
        out, err = self.process.communicate(timeout=30)
        assert self.process.returncode == 0
        return [json.loads(line) for line in out.decode("utf-8").splitlines()], err.decode()


def call(number: int | str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


@asynccontextmanager
async def official(home: Path, era: str, *arguments: str) -> AsyncIterator[Client]:
    command = StdioServerParameters(
        command=sys.executable, args=[*COMMAND[1:], "mcp", *arguments], env=environment(home)
    )
    async with Client(command, mode=era) as client:
        yield client


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["legacy", "auto", "2026-07-28"])
async def test_the_official_client_in_both_eras(server: Serving, era: str) -> None:
    async with official(server.home, era, "--agent", f"agent-{era}") as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert len(tools) == len(load_tools())
        stored = await client.call_tool("store_context", {**note(), "summary": f"{ODD} {era}"})
        assert stored.structured_content is not None
        found = await client.call_tool("get_memory_detail", {"memory_id": stored.structured_content["memory_id"]})
        assert found.structured_content is not None
        assert found.structured_content["summary"] == f"{ODD} {era}"
        assert found.structured_content["agent"] == f"agent-{era}"
        wrong = await client.call_tool("recall_memory", {"data": {"tag": ["x"]}})
        assert wrong.is_error


def test_six_on_a_fresh_home_have_one_owner_and_lose_nothing(home: Path) -> None:
    bridges = [Pipes(home, "--agent", f"agent-{n}") for n in range(6)]
    for bridge in bridges:
        bridge.send(HELLO, *(call(n, "store_context", note(n)) for n in range(1, 11)))
    said = [bridge.end() for bridge in bridges]
    owner = find(home)
    assert owner is not None
    for answers, errors in said:
        assert errors == ""
        assert {one["id"] for one in answers} == set(range(11))
        assert all(one["result"].get("isError") is not True for one in answers)
    memories = answer(home, "memories", "list", "--limit", "0")
    assert len(memories) == 60
    assert len({memory["id"] for memory in memories}) == 60
    assert owner == find(home)
    assert not any(path.name.startswith("server.json.") for path in (home / "run").iterdir())


@pytest.mark.parametrize(
    "locale", [{"PYTHONIOENCODING": "cp950"}, {"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}]
)
def test_no_locale_takes_part(server: Serving, locale: dict[str, str]) -> None:
    bridge = Pipes(server.home, **locale)
    bridge.ask(HELLO)
    stored = bridge.ask(call("完成", "store_context", {**note(), "summary": ODD}))
    assert stored["id"] == "完成"
    memory_id = stored["result"]["structuredContent"]["memory_id"]
    found = bridge.ask(call(2, "get_memory_detail", {"memory_id": memory_id}))
    assert found["result"]["structuredContent"]["summary"] == ODD
    assert bridge.end() == ([], "")


def test_broken_lines_are_answered_and_the_next_ones_served(server: Serving) -> None:
    bridge = Pipes(server.home)
    listing = {"jsonrpc": "2.0", "id": "list", "method": "tools/list"}
    for line, number, code in [
        (b'{"jsonrpc":"2.0","method":"test","params":', None, -32700),
        (b"[]", None, -32600),
        (b'{"id":7}', 7, -32600),
        (b"x" * 5_000_000, None, -32700),
        (b"\xff\xfe", None, -32700),
    ]:
        refused = bridge.ask(line)
        assert (refused["id"], refused["error"]["code"]) == (number, code)
        assert len(bridge.ask(listing)["result"]["tools"]) == len(load_tools())
    bridge.send(b"", b"   ")
    assert bridge.ask(listing)["id"] == "list"
    too_large = bridge.ask(call(5, "store_context", {**note(), "context": "x" * 5_000_000}))
    assert too_large["id"] == 5
    assert "4194304" in json.dumps(too_large)
    bridge.send(
        b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":'
        b'{"name":"get_help","arguments":{"data":{"topic":"\\ud800"}}}}'
    )
    surrogate = bridge.receive()
    assert surrogate["id"] == 8
    assert "error" in surrogate or surrogate["result"]["isError"]
    for name in (["search_memories"], {"a": 1}, 5, None):
        assert "error" in bridge.ask({"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": {"name": name}})
    unknown = bridge.ask({"jsonrpc": "2.0", "id": 9, "method": "no/such"})
    assert unknown["error"]["code"] == -32601
    assert bridge.end() == ([], "")


def test_objects_typed_by_hand(server: Serving) -> None:
    bridge = Pipes(server.home)
    bridge.send(b'{"method":"tools/list","params":{}}')
    assert len(bridge.receive()["result"]["tools"]) == len(load_tools())
    bridge.send(b'{\n  "method": "tools/call",\n  "params": {\n    "name": "recall_memory",')
    bridge.send(b'    "arguments": {"data": {"query": "test"}}\n  }\n}')
    got = bridge.receive()
    assert got["id"] == 1
    assert "items" in got["result"]["structuredContent"]
    assert bridge.end() == ([], "")


def test_the_end_of_input_ends_it_after_what_is_in_flight(server: Serving) -> None:
    bridge = Pipes(server.home)
    bridge.send(HELLO, *(call(n, "store_context", note(n)) for n in range(1, 6)))
    answers, errors = bridge.end()
    assert {one["id"] for one in answers} == set(range(6))
    assert errors == ""
    assert Pipes(server.home).ask(HELLO)["result"]["serverInfo"]["name"] == "tallystick"


def test_an_owner_that_died_is_replaced(home: Path) -> None:
    bridge = Pipes(home)
    assert "result" in bridge.ask(HELLO)
    stored = bridge.ask(call(1, "store_context", note()))["result"]["structuredContent"]["memory_id"]
    first = find(home)
    assert first is not None
    os.kill(first.pid, signal.SIGKILL)
    while find(home) == first:
        time.sleep(0.01)
    found = bridge.ask(call(2, "get_memory_detail", {"memory_id": stored}))
    assert found["result"]["structuredContent"]["context"] == note()["context"]
    second = find(home)
    assert second is not None
    assert second.pid != first.pid
    assert "result" in bridge.ask(call(3, "store_context", note(3)))
    assert bridge.end() == ([], "")


def test_a_read_survives_the_death_of_its_owner(home: Path) -> None:
    bridge = Pipes(home)
    assert "result" in bridge.ask(HELLO)
    for number in range(4):
        assert "result" in bridge.ask(call(f"before-{number}", "recall_memory", {"data": {}}))
        owner = find(home)
        assert owner is not None
        os.kill(owner.pid, signal.SIGKILL)
        answered = bridge.ask(call(number, "recall_memory", {"data": {}}))  # at once: the process still looks alive
        assert answered["result"]["structuredContent"] == {"items": [], "truncated": False}
    assert bridge.end() == ([], "")


def test_a_write_whose_owner_dies_is_done_once(home: Path) -> None:
    bridge = Pipes(home)
    assert "result" in bridge.ask(HELLO)
    made = []
    for number in range(6):
        owner = find(home)
        assert owner is not None
        bridge.send(call(number, "store_context", {**note(number), "context": "long words " * 20_000}))
        time.sleep(0.004 * number)  # at another moment of the call each time
        os.kill(owner.pid, signal.SIGKILL)
        answered = bridge.receive()["result"]["structuredContent"]
        assert answered["success"], answered
        made.append(answered["memory_id"])
    listed = bridge.ask(call("list", "recall_memory", {"data": {"detail": "metadata"}}))["result"]["structuredContent"]
    assert sorted(item["id"] for item in listed["items"]) == sorted(made)
    assert len(set(made)) == 6
    assert bridge.end() == ([], "")


def test_a_server_started_by_hand_is_used(home: Path) -> None:
    with serving(home) as server:
        bridge = Pipes(home)
        bridge.ask(HELLO)
        bridge.end()
        owner = find(home)
        assert owner is not None
        assert owner.pid == server.process.pid
        assert not (home / "logs" / "server.log").exists()


def test_a_home_that_cannot_be_served_is_an_answer(home: Path) -> None:
    answer(home, "keys", "list")
    (home / "tallystick.db").write_bytes(b"no database at all, but somebody's file")
    bridge = Pipes(home)
    got = bridge.ask(HELLO)
    assert got["id"] == 0
    assert str(home / "tallystick.db") in got["error"]["message"]
    assert bridge.end()[0] == []
    assert (home / "tallystick.db").read_bytes() == b"no database at all, but somebody's file"


@pytest.mark.parametrize(("called", "agent"), [("名前", "名前"), ("   ", "cli")])
def test_an_agent_is_called_what_its_client_calls_itself(server: Serving, called: str, agent: str) -> None:
    bridge = Pipes(server.home)
    bridge.ask({**HELLO, "params": {**HELLO["params"], "clientInfo": {"name": called, "version": "1"}}})
    stored = bridge.ask(call(1, "store_context", note()))["result"]["structuredContent"]["memory_id"]
    found = bridge.ask(call(2, "get_memory_detail", {"memory_id": stored}))
    assert found["result"]["structuredContent"]["agent"] == agent
    assert bridge.end() == ([], "")


def test_a_remote_server_with_a_key_from_the_environment(server: Serving, tmp_path: Path) -> None:
    made = answer(server.home, "keys", "create", "--agent", "remote-agent", "--user", "remote")
    nowhere = tmp_path / "nowhere"
    bridge = Pipes(nowhere, "--url", server.url, "--agent", "ignored", TALLYSTICK_API_KEY=made["key"])
    assert "result" in bridge.ask(HELLO)
    stored = bridge.ask(call(1, "store_context", note()))["result"]["structuredContent"]["memory_id"]
    found = bridge.ask(call(2, "get_memory_detail", {"memory_id": stored}))["result"]["structuredContent"]
    assert found["agent"] == "remote-agent"
    bridge.end()
    assert not nowhere.exists()

    refused = Pipes(nowhere, "--url", server.url, TALLYSTICK_API_KEY=made["key"] + "x").ask(HELLO)
    assert "TALLYSTICK_API_KEY" in refused["error"]["message"]
    keyless = subprocess.run(
        [*COMMAND, "mcp", "--url", server.url], env=environment(nowhere), capture_output=True, timeout=30, check=False
    )
    assert keyless.returncode == 1
    assert keyless.stdout == b""
    assert b"TALLYSTICK_API_KEY" in keyless.stderr


def test_a_password_in_an_address_is_refused_and_not_shown(tmp_path: Path) -> None:
    done = tallystick(tmp_path, "mcp", "--url", "https://me:hidden@memory.example", env={"TALLYSTICK_API_KEY": "k"})
    assert (done.returncode, "no user or password" in done.stderr, "hidden" in done.stderr) == (1, True, False)


def test_a_session_may_be_called_anything(server: Serving) -> None:
    with server.client() as client:
        body = {"messages": [{"id": "m", "role": "user", "content": "the first"}]}
        client.put("/v1/sessions/会话 é", json=body).raise_for_status()
    bridge = Pipes(server.home, TALLYSTICK_SESSION="会话 é")
    bridge.ask(HELLO)
    read = bridge.ask(call(1, "memvault_session_read", {"session": "current"}))["result"]["structuredContent"]
    assert read["session"]["native_id"] == "会话 é"
    bridge.end()


def test_its_path_imports_nothing_heavy() -> None:
    script = (
        "import sys, threading; from tallystick.cli import main;"
        "import tallystick.cli.parser, tallystick.transports.bridge, tallystick.cli.check;"
        "print(*sorted({name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=False, env={
        **os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    })  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) <= {"tallystick", "platformdirs", "__main__"}


def test_five_agents_and_two_programs_at_once_lose_nothing_to_kills(home: Path) -> None:
    """Every acknowledged write is there once, and every read is answered, while the server is killed three times."""
    made: list[str] = []
    failed: list[Any] = []

    def agent(number: int) -> None:
        bridge = Pipes(home, "--agent", f"agent-{number}")
        bridge.send(HELLO)
        for n in range(1, 21):
            bridge.send(call(n, "store_context", note(n)), call(-n, "search_memories", {"query": "decision"}))
        answers, errors = bridge.end()
        failed.extend(one for one in answers if one.get("result", {}).get("isError") is not False and one["id"])
        failed.extend([errors] if errors or len(answers) != 41 else [])
        made.extend(one["result"]["structuredContent"]["memory_id"] for one in answers if one["id"] > 0)

    def program(number: int) -> None:
        for n in range(20):
            made.append(insistently(home, "/v1/memories", note(n), f"program-{number}-{n}")["memory_id"])
            insistently(home, "/v1/memory-search", {"query": "decision"}, None)

    threads = [threading.Thread(target=agent, args=(n,)) for n in range(5)]
    threads += [threading.Thread(target=program, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    killed: set[int] = set()
    while len(killed) < 3 and any(thread.is_alive() for thread in threads):
        owner = find(home)
        if owner is not None and owner.pid not in killed:
            time.sleep(0.5)
            os.kill(owner.pid, signal.SIGKILL)
            killed.add(owner.pid)
        time.sleep(0.01)
    for thread in threads:
        thread.join()
    assert len(killed) == 3
    assert failed == []
    assert len(set(made)) == 140
    assert sorted(memory["id"] for memory in answer(home, "memories", "list", "--limit", "0")) == sorted(made)


def insistently(home: Path, path: str, body: dict[str, Any], key: str | None) -> dict[str, Any]:
    """What a program that is told to get through does: send it again, under the same key, to whichever server there is."""
    while True:
        owner = ensure(home)
        headers = {"authorization": f"Bearer {owner.token}", **({"idempotency-key": key} if key else {})}
        try:
            got = httpx.post(f"{owner.url}{path}", json=body, headers=headers, timeout=30)
        except httpx.TransportError:
            time.sleep(0.02)  # one that was just killed looks alive for a moment
            continue
        assert got.is_success, got.text
        made: dict[str, Any] = got.json()
        return made


def test_an_owner_in_the_background_says_nothing_to_the_client(home: Path) -> None:
    bridge = Pipes(home)
    bridge.ask(HELLO)
    owner = wait_for_owner(home)
    assert bridge.end() == ([], "")
    os.kill(owner.pid, 0)  # it outlives the bridge
    until = time.monotonic() + 10  # it can be found a moment before it has said so
    while owner.url not in (log := (home / "logs" / "server.log").read_text("utf-8")):
        assert time.monotonic() < until
        time.sleep(0.02)
    assert owner.token not in log
    assert "tsk_" not in log
