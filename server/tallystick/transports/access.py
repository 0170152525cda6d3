"""From an HTTP request to its caller, and the threads that calls run on."""

from __future__ import annotations

import asyncio
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.datastructures import Headers
from tallystick_contract.errors import Code

from ..caller import Authenticator, Caller
from ..endpoint import Answer, Endpoint
from ..problem import Problem
from ..store import StoreBusy
from .bridge import AGENT_HEADER, SESSION_HEADER, told

READERS, WRITERS, CARRIERS = 8, 4, 16  # threads
WAITING = 256  # calls that may wait for one of either; more are told to come back


class Access:
    """Authentication for the transports, and the worker threads calls run on.

    SQLite and the embedding model block, so a call leaves the event loop once and does all its work on one thread. Writes,
    which take turns anyway, have threads of their own: however many wait, reads go on. So have calls that are carried on, to
    another service or as a batch of calls: however long that takes, reads and writes go on.
    A client that goes away does not stop a call: a write is finished or rolled back, never left half done.
    """

    def __init__(self, authenticator: Authenticator) -> None:
        self._authenticator = authenticator
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="read")
        self._writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="write")
        self._carriers = ThreadPoolExecutor(CARRIERS, thread_name_prefix="carry")
        self._under_way: Counter[ThreadPoolExecutor] = Counter()

    async def call(
        self, endpoint: Endpoint, raw: dict[str, Any], caller: Caller | None, key: str | None, request_id: str
    ) -> Answer:
        """Call an endpoint on a worker thread.

        Raises:
            Problem: STORE_BUSY where too many wait already; and what the endpoint raises.
        """
        carried = endpoint.operation.outside or endpoint.operation.composite
        pool = self._carriers if carried else self._writers if endpoint.parts.writes(raw) else self._readers
        if self._under_way[pool] >= WAITING:
            problem = Problem(Code.STORE_BUSY, "Too many calls wait for the store.", retry_after=1)
            endpoint.refuse(problem, caller, request_id)
            raise problem
        self._under_way[pool] += 1
        called = asyncio.get_running_loop().run_in_executor(pool, endpoint, raw, caller, key, request_id)
        called.add_done_callback(lambda _: self._ended(pool))
        return await called

    def _ended(self, pool: ThreadPoolExecutor) -> None:
        self._under_way[pool] -= 1

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
        self._carriers.shutdown(wait=True)
