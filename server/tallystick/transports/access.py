"""From an HTTP request to its caller, and the threads that calls run on."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.datastructures import Headers
from tallystick_contract.errors import Code

from ..caller import Authenticator, Caller
from ..endpoint import Answer, Endpoint
from ..problem import Problem
from ..store import StoreBusy
from .bridge import AGENT_HEADER, SESSION_HEADER, told

READERS, WRITERS = 8, 4  # threads
WAITING = 256  # calls that may wait for one of either; more are told to come back


class Access:
    """Authentication for the transports, and the worker threads calls run on.

    SQLite and the embedding model block, so a call leaves the event loop once and does all its work on one thread. Writes,
    which take turns anyway, have threads of their own: however many wait, reads go on. Calls that wait on another service
    hold no thread while they do.
    A client that goes away does not stop a call: a write is finished or rolled back, never left half done.
    """

    def __init__(self, authenticator: Authenticator) -> None:
        self._authenticator = authenticator
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="read")
        self._writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="write")
        self._under_way = {"read": 0, "write": 0, "wait": 0}  # calls
        self._waiting: set[asyncio.Future[Answer]] = set()

    async def call(
        self, endpoint: Endpoint, raw: dict[str, Any], caller: Caller | None, key: str | None, request_id: str
    ) -> Answer:
        """Call an endpoint: on a worker thread or, where it waits on another service, on the event loop.

        Raises:
            Problem: STORE_BUSY where too many wait already; and what the endpoint raises.
        """
        waits = endpoint.operation.outside
        sort = "wait" if waits else "write" if endpoint.parts.writes(raw) else "read"
        if self._under_way[sort] >= WAITING:
            problem = Problem(Code.STORE_BUSY, "Too many calls wait for the store.", retry_after=1)
            endpoint.refuse(problem, caller, request_id)
            raise problem
        self._under_way[sort] += 1
        called: asyncio.Future[Answer]
        if waits:
            assert caller is not None  # no operation that waits is public
            called = asyncio.create_task(endpoint.wait(raw, caller, key, request_id))
            self._waiting.add(called)
            called.add_done_callback(self._waited)
        else:
            pool = self._writers if sort == "write" else self._readers
            called = asyncio.get_running_loop().run_in_executor(pool, endpoint, raw, caller, key, request_id)
        called.add_done_callback(lambda _: self._ended(sort))
        return await asyncio.shield(called) if waits else await called

    def _ended(self, sort: str) -> None:
        self._under_way[sort] -= 1

    def _waited(self, called: asyncio.Future[Answer]) -> None:
        self._waiting.discard(called)
        if not called.cancelled():
            called.exception()  # taken here, in case its client has gone away and nobody else does

    async def finish(self) -> None:
        """Wait for the calls that wait on another service."""
        await asyncio.gather(*self._waiting, return_exceptions=True)

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
            agent = told(headers.get(AGENT_HEADER, "")) or None
            return self._authenticator.local(agent, told(headers.get(SESSION_HEADER, "")) or None)
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._readers, self._authenticator.authenticate, token)
        except StoreBusy:
            raise Problem(Code.STORE_BUSY, retry_after=1) from None

    def close(self) -> None:
        """Wait for the calls under way."""
        self._readers.shutdown(wait=True)
        self._writers.shutdown(wait=True)
