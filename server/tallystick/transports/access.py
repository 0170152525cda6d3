"""From an HTTP request to its caller, and the threads that calls run on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from starlette.datastructures import Headers
from tallystick_contract.errors import Code

from ..caller import Authenticator, Caller
from ..problem import Problem

T = TypeVar("T")

AGENT_HEADER = "x-tallystick-agent"
SESSION_HEADER = "x-tallystick-session"


class Access:
    """Authentication for the transports, and the worker threads calls run on.

    SQLite and the embedding model block, so a call leaves the event loop once and does all its work on one thread.
    A client that goes away does not stop a call: a write is finished or rolled back, never left half done.
    """

    def __init__(self, authenticator: Authenticator, threads: int) -> None:
        self._authenticator = authenticator
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="call")

    async def run(self, call: Callable[..., T], *arguments: object) -> T:
        """Run a blocking call on a worker thread and return what it returns."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, call, *arguments)

    async def caller(self, headers: Headers) -> Caller:
        """Who sent these headers.

        Raises:
            Problem: UNAUTHENTICATED where the Authorization header is missing, is no bearer token, or names no live key.
        """
        scheme, _, token = headers.get("authorization", "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            raise Problem(Code.UNAUTHENTICATED)
        known = self._authenticator.cached(token)
        if known is not None:
            return known
        if self._authenticator.is_run_token(token):
            agent, session = headers.get(AGENT_HEADER), headers.get(SESSION_HEADER)
            return await self.run(self._authenticator.local, agent, session)
        return await self.run(self._authenticator.authenticate, token)

    def close(self) -> None:
        self._pool.shutdown(wait=True)
