"""ASGI middleware around both surfaces: foreign Host and Origin are refused before a body is read."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from tallystick_contract.errors import Code

from ..problem import Problem
from .respond import problem_response

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


class Guard:
    """Refuses what a web page or a rebound DNS name could send (DNS rebinding, cross-site requests).

    Args:
        app: what lies behind.
        hosts: accepted Host values beside the loopback names; `name` accepts any port, `name:port` one.
        origins: accepted Origin values; requests without Origin (every non-browser) pass, `null` never does.

    It also strips trailing blanks from `mcp-*` header values, which uvicorn's parser leaves in place and the MCP
    header checks (RFC 9110, 5.5: not part of the value) would stumble over.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str], origins: Iterable[str]) -> None:
        self.app = app
        self.hosts = frozenset(_bracketed(host.lower()) for host in (*LOOPBACK, *hosts))
        self.origins = frozenset(origin.lower().rstrip("/") for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._host_allowed(host):
            refusal = f"The Host header {host[:100]!r} is not served here."
            hint = "Call a loopback address, or add the name to TALLYSTICK_ALLOWED_HOSTS."
        elif origin is not None and not self._origin_allowed(origin, host):
            refusal = f"Requests from the web origin {origin[:100]!r} are not allowed."
            hint = "Add the origin to TALLYSTICK_ALLOWED_ORIGINS if pages from there may use this memory."
        else:
            scope["headers"] = [(k, v.strip() if k.startswith(b"mcp-") else v) for k, v in scope["headers"]]
            await self.app(scope, receive, send)
            return
        problem = Problem(Code.PERMISSION_DENIED, refusal, next_action=hint)
        await problem_response(problem)(scope, receive, send)

    def _host_allowed(self, host: str) -> bool:
        host = host.lower()
        name, _, port = host.rpartition(":")
        bare = name if name and port.isdigit() else host
        return host in self.hosts or bare in self.hosts

    def _origin_allowed(self, origin: str, host: str) -> bool:
        origin = origin.lower().rstrip("/")
        return origin in self.origins or origin in (f"http://{host.lower()}", f"https://{host.lower()}")


def _bracketed(host: str) -> str:
    """An IPv6 address as a Host header has it; anything else as it is."""
    return f"[{host}]" if host.count(":") > 1 and not host.startswith("[") else host
