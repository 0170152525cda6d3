"""A real server for tests: uvicorn on a loopback port, a real store on disk, the real embedding model."""

from __future__ import annotations

import contextlib
import itertools
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tallystick.app import create_app
from tallystick.logs import configure
from tallystick.settings import Settings
from tallystick.store import Store
from tallystick.store.embedding import Embedder, MiniLm
from tallystick_contract.operations import SCOPES

from tests.linear.server import LinearServer

ERAS = ("legacy", "2026-07-28")
NOBODY = "http://127.0.0.1:9/graphql"  # no test speaks to the real Linear
RUN_TOKEN = "run-token-of-the-tests"

_numbers = itertools.count(1)


class Live:
    """A server that runs in this process; strict, so that an answer against its contract is an INTERNAL_ERROR."""

    linear: LinearServer
    """What it speaks to as Linear, where a test has started one."""

    def __init__(self, home: Path, *, embedder: Embedder | None = None, **settings: Any) -> None:
        configure("warning")
        settings.setdefault("linear_url", NOBODY)
        self.settings = Settings(home=home, strict=True, **settings)
        self.store = Store.open(home, embedder=embedder or MiniLm())
        self.app = create_app(self.settings, self.store, run_token=RUN_TOKEN)
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._server = uvicorn.Server(uvicorn.Config(self.app, log_level="warning", lifespan="on"))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    def __enter__(self) -> Live:
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        self.store.close()

    def key(self, user: str | None = None, agent: str = "claude", scopes: list[str] | None = None) -> str:
        """A new key with all scopes, or those given, of a user of its own unless one is named."""
        body = {"agent": agent, "user": user or f"user-{next(_numbers)}", "scopes": scopes or sorted(SCOPES)}
        answer = httpx.post(f"{self.url}/v1/keys", json=body, headers={"authorization": f"Bearer {RUN_TOKEN}"})
        assert answer.status_code == 201, answer.text
        key: str = answer.json()["key"]
        return key

    @contextlib.contextmanager
    def rest(self, key: str | None = None, **settings: Any) -> Iterator[httpx.Client]:
        """An HTTP client that sends `key`, or a new user's."""
        headers = {"authorization": f"Bearer {key or self.key()}"} | settings.pop("headers", {})
        with httpx.Client(base_url=self.url, headers=headers, timeout=60, **settings) as client:
            yield client

    @contextlib.asynccontextmanager
    async def mcp(self, era: str, key: str | None = None) -> AsyncIterator[Client]:
        """The official MCP client in one protocol era, sending `key`, or a new user's."""
        headers = {"authorization": f"Bearer {key or self.key()}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(f"{self.url}/mcp", http_client=http), mode=era) as client,
        ):
            yield client

    def indexed(self) -> None:
        """Wait until every record written so far is found by its meaning."""
        assert self.store.wait_indexed(60)


def store(client: httpx.Client, context: str, summary: str = "A note", **more: Any) -> str:
    """Store one memory over REST and return its id."""
    body = {"summary": summary, "context": context, "conversation_id": "nc-test-20260529", **more}
    answer = client.post("/v1/memories", json=body)
    assert answer.status_code == 201, answer.text
    memory_id: str = answer.json()["memory_id"]
    return memory_id
