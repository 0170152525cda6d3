"""Sends the operations of contracts/linear to Linear's GraphQL API, each within a time that is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping
from typing import Any

import httpx

from .. import __version__
from .failures import LinearFailure, failure

API = "https://api.linear.app/graphql"
SECONDS = 20.0
"""How long one operation may take, waits and repetitions included."""
PAUSES = (0.5, 1.5)  # seconds before what is safe is sent again
PATIENCE = 5  # seconds that Linear may ask to wait for and is waited for

Json = dict[str, Any]


class Gateway:
    """Linear, as seen from here. Redirects are not followed, and a key goes into the Authorization header and nowhere else.

    Args:
        documents: the text of each operation by its name, with the fragments it uses.
        url: where Linear's API is.
        seconds: how long one operation may take.
    """

    def __init__(self, documents: Mapping[str, str], url: str = API, seconds: float = SECONDS) -> None:
        self._documents = documents
        self._url = url
        self._seconds = seconds
        self._http = httpx.AsyncClient(
            follow_redirects=False, timeout=seconds, headers={"user-agent": f"tallystick/{__version__}"}
        )

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def read(self, key: str, operation: str, **variables: Any) -> Json:
        """The data that an operation answers with; sent again where Linear could not be reached or had no answer.

        Raises:
            LinearFailure: it cannot be had.
        """
        return await self._within(self._repeated(key, operation, variables, writes=False), writes=False)

    async def write(self, key: str, operation: str, **variables: Any) -> Json:
        """The data that a change answers with. It is sent again only where it surely was not done.

        Raises:
            LinearFailure: it was refused, or (kind unknown) nobody knows whether it was done.
        """
        return await self._within(self._repeated(key, operation, variables, writes=True), writes=True)

    async def pages(self, key: str, operation: str, *path: str, **variables: Any) -> AsyncIterator[list[Json]]:
        """The nodes of a connection, page by page, to its end.

        Args:
            key: of the workspace.
            operation: one whose variables have `after`.
            path: the members that lead to the connection in the data, such as "team", "labels".
            variables: the others.
        """
        after: str | None = None
        while True:
            connection: Any = await self.read(key, operation, after=after, **variables)
            for name in path:
                connection = connection[name]
            yield connection["nodes"]
            page = connection["pageInfo"]
            if not page["hasNextPage"]:
                return
            if page["endCursor"] in (None, after):
                raise LinearFailure("unavailable", "Linear says that there is more and not where it goes on.")
            after = page["endCursor"]

    async def _within(self, sending: Awaitable[Json], *, writes: bool) -> Json:
        try:
            async with asyncio.timeout(self._seconds):
                return await sending
        except TimeoutError:
            raise _late(self._seconds, writes) from None

    async def _repeated(self, key: str, operation: str, variables: Json, *, writes: bool) -> Json:
        for pause in (*PAUSES, None):
            try:
                return await self._once(key, operation, variables, writes=writes)
            except LinearFailure as error:
                again = error.kind == "rate_limited" or (error.kind == "unavailable" and not writes)
                wait = error.retry_after if error.kind == "rate_limited" else pause
                if pause is None or not again or wait is None or wait > PATIENCE:
                    raise
                await asyncio.sleep(max(wait, pause))
            except httpx.ConnectError:  # nothing was sent
                if pause is None:
                    raise LinearFailure("unavailable", "Linear cannot be reached. Nothing was changed.") from None
                await asyncio.sleep(pause)
        raise AssertionError  # the last round returns or raises

    async def _once(self, key: str, operation: str, variables: Json, *, writes: bool) -> Json:
        sent = {"query": self._documents[operation], "operationName": operation, "variables": variables}
        try:
            answer = await self._http.post(self._url, json=sent, headers={"authorization": key})
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise httpx.ConnectError("") from error  # none of them has sent anything
        except httpx.HTTPError as error:
            if writes:
                raise LinearFailure(
                    "unknown", "The connection to Linear broke; whether the change was made is not known."
                ) from error
            raise LinearFailure("unavailable", "The connection to Linear broke.") from error
        try:
            body = answer.json()
        except (ValueError, RecursionError):
            body = None
        failed = failure(answer.status_code, answer.headers, body, writes=writes)
        if failed is not None:
            if failed.kind == "unknown" and not writes:
                raise LinearFailure("unavailable", failed.message)
            raise failed
        data: Json = body["data"]
        return data


def _late(seconds: float, writes: bool) -> LinearFailure:
    if writes:
        return LinearFailure(
            "unknown", f"Linear did not answer within {seconds:g} s; whether the change was made is not known."
        )
    return LinearFailure("unavailable", f"Linear did not answer within {seconds:g} s.")
