"""The server process behind `tallystick serve`: store, application, socket, run/server.json. Imports what is heavy."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Generator
from datetime import UTC, datetime

import httpx
import uvicorn
from starlette.applications import Starlette
from tallystick_client import AsyncTallystick

from .. import __version__
from ..app import create_app
from ..bind import Unbound
from ..owner import LOST_RACE, Owner, publish, withdraw
from ..settings import Settings
from ..store import Store
from .failure import Failure
from .greeting import greeting
from .opening import HomeTaken, open_store

LOOPBACK = ("127.0.0.1", "::1", "localhost")
GRACE = 10
"""Seconds that calls in flight get to finish at the end."""

WORKING = ("indexing", "rebuilding")
"""States of the store in which an idle server stays: an import leaves hours of work behind."""

KEEP_ALIVE = 75
FIRST_AGENT = "default"


def serve(settings: Settings, *, background: bool, idle: float | None, started: contextlib.ExitStack | None) -> None:
    """Own the home and serve it until a signal, or until `idle` seconds went by without a request.

    Args:
        settings: how to run.
        background: whether the bridge started this: no key is made then.
        started: closed once the server can be found through run/server.json.

    Raises:
        Failure: it cannot start; the text says why and what to do.
    """
    try:
        store = open_store(settings)
    except HomeTaken as error:
        raise Failure(str(error), LOST_RACE if background else 1) from None
    try:
        with asyncio.Runner(
            loop_factory=uvicorn.Config("", log_config=None).get_loop_factory()
        ) as runner:  # uvloop where there is one
            runner.run(_serve(settings, store, background, idle, started))
    finally:
        store.close()


async def _serve(
    settings: Settings, store: Store, background: bool, idle: float | None, started: contextlib.ExitStack | None
) -> None:
    token = secrets.token_urlsafe(32)
    try:
        app = create_app(settings, store, run_token=token)
    except Unbound as error:
        raise Failure(str(error)) from None
    async with local_client(app, token, "serve") as client:
        live = [key async for key in client.keys.iter_keys(limit=100) if key.revoked is None]
        if settings.host not in LOOPBACK and not live:
            raise Failure(
                f"Listening on {settings.host} lets other machines in, and no key exists yet. Make one first: "
                "tallystick keys create --agent NAME"
            )
        listener = _bind(settings)
        interactive = sys.stdout.isatty() and not background
        key = (
            (await client.keys.create_key(agent=FIRST_AGENT, scopes=["all"])).key if interactive and not live else None
        )
    owner = Owner(
        pid=os.getpid(), host=settings.host, port=listener.getsockname()[1], token=token, version=__version__,
        home=str(settings.home), started=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )  # fmt: skip

    def announce() -> None:
        publish(settings.home, owner)
        if started is not None:
            started.close()
        print(greeting(owner, key=key, any_key=bool(live)), flush=True)

    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False,
        timeout_graceful_shutdown=GRACE, timeout_keep_alive=KEEP_ALIVE, lifespan="on",
    )  # fmt: skip
    try:
        await _Server(config, announce, idle, lambda: store.state().vectors in WORKING).serve([listener])
    finally:
        withdraw(settings.home, owner)


def local_client(app: Starlette, token: str, agent: str) -> AsyncTallystick:
    """A client of an application in this very process."""
    transport = httpx.ASGITransport(app)
    return AsyncTallystick("http://127.0.0.1", token, transport=transport, headers={"X-Tallystick-Agent": agent})


def _bind(settings: Settings) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[
            0
        ]
        listener = socket.socket(family, kind, protocol)
        if os.name == "posix":  # on Windows it would let two programs share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise Failure(
            f"Cannot listen on {settings.host} port {settings.port}: {error.strerror or error}. "
            "Give another port with --port (0 takes a free one), or stop what listens there."
        ) from None
    return listener


class _Server(uvicorn.Server):
    """uvicorn with a word when it listens, an end when idle, and signals that end it without ending the process."""

    def __init__(
        self, config: uvicorn.Config, announce: Callable[[], None], idle: float | None, working: Callable[[], bool]
    ) -> None:
        super().__init__(config)
        self._announce = announce
        self._working = working
        self._idle = idle
        self._seen = 0
        self._last = time.monotonic()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._announce()

    async def on_tick(self, counter: int) -> bool:
        if self._idle is not None:
            busy = self.server_state.total_requests != self._seen or bool(self.server_state.tasks)
            if busy:
                self._seen, self._last = self.server_state.total_requests, time.monotonic()
            elif time.monotonic() - self._last > self._idle:
                if self._working():
                    self._last = time.monotonic()
                else:
                    self.should_exit = True
        return await super().on_tick(counter)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        # uvicorn raises the signal anew when it is done, which would end the process before the store is closed.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.handle_exit)
        yield
