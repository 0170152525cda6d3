"""Requests to Linear's GraphQL API: one HTTP client for all workspaces, a stated time for each call of a tool.

Reads are repeated where that may help. A write goes out once: it is repeated by nobody, and where no answer tells what became
of it, that is said (Unknown).
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Mapping
from typing import Any

import httpx

from .. import __version__
from .failures import Refused, Throttled, Unknown, Unreachable, outcome, wait
from .workspaces import Workspace

API = "https://api.linear.app/graphql"
TRIES = 4  # of a read
FIRST_PAUSE = 0.25  # seconds; doubled each time
LONGEST_PAUSE = 5  # seconds; who is asked to wait longer tells its caller
LARGEST = 32 * 1024 * 1024  # bytes of an answer
PAGES = 40
SHARE = 0.7  # of the time left that a write may take, so that time is left to look what became of it


class Gateway:
    """Linear at one address.

    Args:
        documents: what is sent for each operation, by its name.
        url: of the API.
        seconds: how long one call of a tool may wait for Linear, all its requests together.
        transport: in the place of the network.
    """

    def __init__(
        self, documents: Mapping[str, str], url: str, seconds: float, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self.seconds = seconds
        self._url = url
        self._documents = documents
        self._spent: dict[str, float] = {}  # by key, until when (time.time()) Linear takes no request of it
        self._http = httpx.AsyncClient(
            transport=transport,
            follow_redirects=False,  # the key goes to the address that was set, and to no other
            limits=httpx.Limits(max_connections=32, max_keepalive_connections=8),
            headers={"user-agent": f"tallystick/{__version__}", "accept": "application/json"},
        )

    def connection(self, workspace: Workspace) -> Connection:
        """What one call of a tool speaks through; its time begins now."""
        return Connection(self, workspace)

    async def close(self) -> None:
        await self._http.aclose()

    async def request(self, key: str, operation: str, variables: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send one request.

        Returns:
            `data` of the answer.

        Raises:
            Refused, Throttled, Unreachable: it was not done.
            Unknown: nobody knows.
        """
        until = self._spent.get(key, 0.0) - time.time()
        if until > 0:
            raise Throttled("Linear takes no more requests with this key for now.", max(1, round(until)))
        body = {"operationName": operation, "query": self._documents[operation], "variables": variables}
        try:
            async with asyncio.timeout(seconds):
                status, headers, content = await self._post(key, body, seconds)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout):
            raise Unreachable("Linear cannot be reached.") from None
        except (TimeoutError, httpx.TimeoutException):
            raise Unknown("Linear did not answer in time.") from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError):
            raise Unknown("The connection to Linear broke.") from None
        if headers.get("x-ratelimit-requests-remaining") == "0" and "x-ratelimit-requests-reset" in headers:
            self._spent[key] = time.time() + wait(headers)
        try:
            return outcome(status, headers, content)
        except Refused as refused:
            raise Refused(_without(key, str(refused)), refused.kind) from None
        except Unknown as unknown:
            raise Unknown(_without(key, str(unknown))) from None

    async def _post(self, key: str, body: dict[str, Any], seconds: float) -> tuple[int, httpx.Headers, bytes]:
        headers = {"authorization": key}  # raw: Bearer is for OAuth tokens
        async with self._http.stream("POST", self._url, json=body, headers=headers, timeout=seconds) as answer:
            parts, size = [], 0
            async for part in answer.aiter_bytes():
                size += len(part)
                if size > LARGEST:
                    raise Unknown("Linear's answer is too large.")
                parts.append(part)
            return answer.status_code, answer.headers, b"".join(parts)


class Connection:
    """A workspace, for one call of a tool: all requests together stay within the gateway's time."""

    def __init__(self, gateway: Gateway, workspace: Workspace) -> None:
        self.workspace = workspace
        self._gateway = gateway
        self._end = time.monotonic() + gateway.seconds

    async def ask(self, operation: str, **variables: Any) -> Any:
        """The answer of a query. Sent again, after a pause, where that may help and there is time.

        Raises:
            LinearFailure: no answer.
        """
        pause = FIRST_PAUSE
        for last in (False,) * (TRIES - 1) + (True,):
            try:
                return await self._request(operation, variables, self._left())
            except Throttled as throttled:
                if last or throttled.seconds > min(LONGEST_PAUSE, self._left() - 1):
                    raise
                await asyncio.sleep(throttled.seconds)
            except (Unknown, Unreachable):
                if last or self._left() < 2 * pause:
                    raise
                await asyncio.sleep(pause * random.uniform(0.5, 1))  # noqa: S311  # no secret
                pause *= 2
        raise AssertionError("the last try returns or raises")

    async def every(self, operation: str, *path: str, pages: int = PAGES, **variables: Any) -> tuple[list[Any], bool]:
        """All rows of a list that is given page by page.

        Args:
            operation: the query; it takes `after`.
            path: the members that lead to the list.
            pages: how many to read at most.

        Returns:
            The rows, and whether there are more.
        """
        rows: list[Any] = []
        for _ in range(pages):
            found = await self.ask(operation, **variables)
            for name in path:
                found = found[name]
            rows += found["nodes"]
            if not found["pageInfo"]["hasNextPage"]:
                return rows, False
            variables["after"] = found["pageInfo"]["endCursor"]
            if variables["after"] is None:
                raise Unknown("Linear said that a list goes on, and not where it goes on.")
        return rows, True

    async def tell(self, operation: str, **variables: Any) -> Any:
        """The answer of a mutation: what its one field holds. Sent once.

        Raises:
            Refused, Throttled, Unreachable: it did not happen.
            Unknown: it may have happened.
        """
        data = await self._request(operation, variables, self._left() * SHARE)
        payload = next(iter(data.values()), None)
        if not isinstance(payload, dict):
            raise Unknown("Linear's answer cannot be read.")
        if payload.get("success") is not True:
            raise Refused("Linear answered that it did not do it.")
        return payload

    async def _request(self, operation: str, variables: dict[str, Any], seconds: float) -> dict[str, Any]:
        return await self._gateway.request(self.workspace.key, operation, variables, seconds)

    def _left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0.01:
            raise Unreachable(f"Linear did not answer within {self._gateway.seconds:g} seconds.")
        return left


def _without(key: str, text: str) -> str:
    """A text of Linear's without the key, should it name it or its beginning."""
    return re.sub(re.escape(key[:8]) + r"\S*", "…", text)
