"""What is erased leaves no byte in any file of the home, once the indexes have settled.

Each text holds MARK, whose tail no stemmer changes and which the full-text index writes out behind what a word shares with
the one before it. All other users' and all other records stay.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.live import RUN_TOKEN, Live, store

MARK = "zqxjvkw7"
TAIL = MARK[2:].encode()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Live]:
    """A server with a home of its own, in which everything is looked at."""
    with Live(tmp_path / "home") as running:
        yield running


@pytest.fixture
def ann(server: Live) -> Iterator[httpx.Client]:
    with server.rest(server.key("ann")) as client:
        yield client


@pytest.fixture
def bob(server: Live) -> Iterator[httpx.Client]:
    with server.rest(server.key("bob")) as client:
        yield client


def holding(home: Path) -> list[str]:
    found = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    return [str(path.relative_to(home)) for path, data in found.items() if TAIL in data.lower()]


def settle(server: Live) -> None:
    """Wait until nothing is left of MARK, or say where it is."""
    server.indexed()
    until = time.monotonic() + 20
    while holding(server.settings.home):
        assert time.monotonic() < until, holding(server.settings.home)
        time.sleep(0.05)


def call(client: httpx.Client, method: str, path: str, body: Any = None, **headers: str) -> dict[str, Any]:
    answer = client.request(method, path, json=body, headers=headers)
    assert answer.is_success, answer.text
    made: dict[str, Any] = answer.json()
    return made


def remember(client: httpx.Client) -> str:
    """A memory with MARK wherever a memory may hold a text, changed since, found by every search."""
    body = {
        "summary": f"about {MARK}", "context": f"The story of {MARK}, 用户{MARK}.", "conversation_id": f"nc-{MARK}-20260529",
        "user_query": f"What of {MARK}?", "tags": [MARK], "company_client": MARK, "client_project": MARK,
        "artifact_url": f"https://example.com/{MARK}",
    }  # fmt: skip
    memory: str = call(client, "POST", "/v1/memories", body, **{"idempotency-key": "made"})["memory_id"]
    changes = {"title": f"{MARK} again", "body": f"{MARK} " * 200}
    call(client, "PATCH", f"/v1/memories/{memory}", changes, **{"idempotency-key": "changed"})
    return memory


def capture(client: httpx.Client) -> str:
    """A session with MARK wherever a session may hold a text."""
    messages = [{"id": f"{MARK}-{n}", "role": "user", "content": f"say {MARK} {n} " * 50} for n in range(20)]
    body = {"title": f"all of {MARK}", "cwd": f"/work/{MARK}", "messages": messages}
    session: str = call(client, "PUT", f"/v1/sessions/{MARK}", body, **{"idempotency-key": "captured"})["session"]
    call(client, "PUT", f"/v1/sessions/{MARK}", {"title": f"{MARK}, renamed"})
    other = call(client, "PUT", "/v1/sessions/plain", {"messages": [{"id": "m", "role": "user", "content": "plain"}]})
    call(client, "POST", "/v1/session-links", {"from": other["session"], "to": session, "kind": "reference"})
    return session


def look_for(client: httpx.Client) -> None:
    """Everything that is asked for MARK."""
    assert call(client, "POST", "/v1/memory-search", {"query": MARK})["memories"]
    assert call(client, "POST", "/v1/memory-recall", {"query": MARK})["items"]
    call(
        client, "POST", "/v1/context-recall", {"query": f'What "of" {MARK}?', "conversation_id": f"nc-{MARK}-20260529"}
    )
    assert call(client, "POST", "/v1/search", {"query": MARK})["results"]


def test_a_memory(server: Live, ann: httpx.Client, bob: httpx.Client) -> None:
    kept, theirs = store(ann, "walrus of ann"), store(bob, "walrus of bob")
    memory = remember(ann)
    server.indexed()
    look_for(ann)
    assert {"tallystick.db-wal", "logs/mcp.log"} <= set(holding(server.settings.home))
    call(ann, "DELETE", f"/v1/memories/{memory}")
    settle(server)
    assert [item["id"] for item in call(ann, "POST", "/v1/memory-recall", {"query": "walrus"})["items"]] == [kept]
    assert [item["id"] for item in call(bob, "POST", "/v1/memory-recall", {"query": "walrus"})["items"]] == [theirs]


def test_a_session(server: Live, ann: httpx.Client) -> None:
    session = capture(ann)
    server.indexed()
    assert call(ann, "POST", "/v1/search", {"query": MARK})["results"]
    assert {"tallystick.db-wal", "logs/mcp.log"} <= set(holding(server.settings.home))
    call(ann, "DELETE", f"/v1/sessions/{session}")
    settle(server)
    assert call(ann, "POST", "/v1/search", {"query": "plain"})["results"]


def test_all_of_a_user(server: Live, ann: httpx.Client, bob: httpx.Client) -> None:
    theirs = store(bob, "walrus of bob")
    remember(ann)
    session = capture(ann)
    summary = {"kind": "summary", "title": MARK, "body": MARK, "session": session, "covered": [f"{MARK}-1"]}
    call(ann, "POST", "/v1/memory-update", summary, **{"idempotency-key": "covered"})
    call(ann, "PATCH", "/v1/facts", {MARK: MARK}, **{"idempotency-key": "facts"})
    server.indexed()
    look_for(ann)
    call(bob, "POST", "/v1/memory-recall", {"query": "what bob asks"})
    assert "logs/mcp.log" in holding(server.settings.home)
    call(ann, "DELETE", "/v1/me/data?confirm=ann")
    settle(server)
    assert [item["id"] for item in call(bob, "POST", "/v1/memory-recall", {"query": "walrus"})["items"]] == [theirs]
    log = (server.settings.home / "logs" / "mcp.log").read_text("utf-8")
    assert 'query="what bob asks"' in log
    assert len([line for line in log.splitlines() if " user=ann " in line]) > 8, "who did what and when stays"


def test_while_calls_go_on(server: Live, ann: httpx.Client) -> None:
    """Others write and read meanwhile; their lines stay, and stay whole."""
    memories = [remember_one(ann, number) for number in range(10)]

    def go_on() -> None:
        with server.rest(RUN_TOKEN) as client:
            for number in range(30):
                store(client, f"note {number}")
                call(client, "POST", "/v1/memory-recall", {"query": f"note {number}"})

    threads = [threading.Thread(target=go_on) for _ in range(2)]
    for thread in threads:
        thread.start()
    for memory in memories:
        call(ann, "DELETE", f"/v1/memories/{memory}")
        time.sleep(0.02)
    for thread in threads:
        thread.join()
    settle(server)
    lines = (server.settings.home / "logs" / "mcp.log").read_text("utf-8").splitlines()
    assert all(" duration=" in line and line.endswith("ms") for line in lines)
    assert [sum(f'query="note {number}"' in line for line in lines) for number in range(30)] == [2] * 30


def remember_one(client: httpx.Client, number: int) -> str:
    call(client, "POST", "/v1/memory-recall", {"query": f"{MARK} {number}"})
    return store(client, f"{MARK} {number}", summary=f"{MARK} {number}")
