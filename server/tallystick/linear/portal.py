"""Linear for callers that wait on a thread: the gateway's loop runs on a thread of its own."""

from __future__ import annotations

import contextlib
import threading
from functools import partial
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from .gateway import Gateway, Json


class Linear:
    """The gateway, called from any thread. Its own thread begins with the first call.

    Args:
        gateway: not used yet.
    """

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._open = contextlib.ExitStack()
        self._beginning = threading.Lock()
        self._portal: BlockingPortal | None = None

    def read(self, key: str, operation: str, **variables: Any) -> Json:
        """See Gateway.read."""
        return self._begun().call(partial(self._gateway.read, key, operation, **variables))

    def write(self, key: str, operation: str, **variables: Any) -> Json:
        """See Gateway.write."""
        return self._begun().call(partial(self._gateway.write, key, operation, **variables))

    def all(self, key: str, operation: str, *path: str, **variables: Any) -> list[Json]:
        """The nodes of a connection, to its end; see Gateway.pages."""

        async def collect() -> list[Json]:
            pages = self._gateway.pages(key, operation, *path, **variables)
            return [node async for page in pages for node in page]

        return self._begun().call(collect)

    def close(self) -> None:
        """End the thread; no call may come after."""
        if self._portal is not None:
            self._portal.call(self._gateway.close)
            self._open.close()

    def _begun(self) -> BlockingPortal:
        with self._beginning:
            if self._portal is None:
                self._portal = self._open.enter_context(start_blocking_portal("asyncio", name="linear"))
            return self._portal
