"""How commands reach the records: through the generated client, to the running server or to one in this process."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..home import make_home
from ..owner import ensure, find
from .failure import Failure
from .opening import HomeTaken, open_store
from .serve import load_settings

if TYPE_CHECKING:
    from tallystick_client import AsyncTallystick

    from ..owner import Owner

T = TypeVar("T")

AGENT = "cli"
ADVICE = {"NOT_FOUND": "`list` shows the ids there are.", "INVALID_PARAMS": "Nothing was read or written."}
"""What to do for a person at a terminal, where the catalogue speaks to agents."""
PATIENCE = 20.0
"""Seconds to wait while another process holds the home and serves nothing yet: a start, or another command."""


def with_records(home: Path, work: Callable[[AsyncTallystick], Awaitable[T]], *, stay: bool = False) -> T:
    """Run `work` with a client that may do everything, and give what it returns.

    Args:
        home: whose records.
        work: gets the client.
        stay: where no server runs, start one in the background that outlives the command, as the bridge does. For what
            takes long, or leaves the indexer with something to do: the home is not to be taken from the agents meanwhile.

    Raises:
        Failure: the server refused, or the home cannot be opened; the text says what to do.
    """
    from tallystick_client import ApiError, TallystickError

    async def run() -> T | Failure:
        async with _served(ensure(home)) if stay else _client(home) as client:
            # Not raised in here: on its way out of the application's task group it would become an exception group.
            try:
                return await work(client)
            except ApiError as error:
                return Failure(f"{error.message.rstrip('.')}. {ADVICE.get(error.code, error.next_action)}".strip())
            except TallystickError as error:
                return Failure(f"{error} Try again.")

    outcome = asyncio.run(run())
    if isinstance(outcome, Failure):
        raise outcome
    return outcome


def _served(owner: Owner) -> AsyncTallystick:
    from tallystick_client import AsyncTallystick

    return AsyncTallystick(owner.url, owner.token, headers={"X-Tallystick-Agent": AGENT})


@contextlib.asynccontextmanager
async def _client(home: Path) -> AsyncIterator[AsyncTallystick]:
    from ..logs import configure

    configure("warning")
    make_home(home)
    deadline = time.monotonic() + PATIENCE
    while True:
        owner = find(home)
        if owner is not None:
            async with _served(owner) as client:
                yield client
            return
        try:
            settings = load_settings(home)
            store = open_store(settings)
        except HomeTaken:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.2)
            continue
        break
    try:
        from ..app import create_app
        from .running import local_client

        token = secrets.token_urlsafe(32)
        app = create_app(settings, store, run_token=token)
        async with app.router.lifespan_context(app), local_client(app, token, AGENT) as client:
            yield client
    finally:
        store.close()
