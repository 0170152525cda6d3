"""JSON-RPC messages sent on to a server's /mcp over HTTP, and its answers brought back. Standard library only."""

from __future__ import annotations

import base64
import http.client
import json
import re
import select
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from .. import __version__
from .stdio import Message

CONNECT_TIMEOUT = 10.0
ANSWER_TIMEOUT = 300.0
REPEATED_FOR = 3.0  # seconds, with one server
SERVERS = 5  # one after the other that a message is given to: what kills a server must not kill them for ever
EVENTS = "text/event-stream"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Which parameter of a method the Mcp-Name header repeats (MCP 2026-07-28, Streamable HTTP)."""

_PLAIN = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")


@dataclass(frozen=True, slots=True)
class Target:
    """A server: its /mcp address and the bearer token it takes."""

    url: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Received:
    """One JSON-RPC message of a server, parsed and as it came."""

    value: dict[str, Any]
    text: bytes

    def answers(self, request_id: int | str | None) -> bool:
        """Whether this is the answer to that request."""
        return "method" not in self.value and self.value.get("id") == request_id


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the HTTP status, the JSON-RPC messages in the body, and the body where it was no event stream."""

    status: int
    messages: tuple[Received, ...]
    body: bytes


class NotSent(Exception):
    """Nothing reached the server, so the same message may be sent again."""


class Lost(Exception):
    """The connection broke after the message was sent; whether the server acted on it is unknown."""


class Forwarder:
    """Posts messages over kept-alive connections, one a thread.

    Args:
        find: gives the server to speak to; called again with the one that failed when it cannot be reached.
        identity: headers that say for whom the messages are, such as X-Tallystick-Agent.
    """

    def __init__(self, find: Callable[[Target | None], Target], identity: dict[str, str]) -> None:
        self._find = find
        self._finding = threading.Lock()
        self._target: Target | None = None
        self._own = threading.local()
        self.identity = identity

    def send(self, message: Message, version: str | None, *, repeatable: bool) -> Reply:
        """Send one message and wait for its answer.

        Args:
            message: what to send.
            version: value of MCP-Protocol-Version; None sends no such header, as for initialize.
            repeatable: whether it may be sent again when the connection breaks under way; what was not sent is always
                sent again, for three seconds, and to a new server where there is one, which has three seconds of its own.

        Raises:
            NotSent: the server cannot be reached, not even a new one in its place.
            Lost: the connection broke under way and the message must not be repeated.
            OwnerMissing: `find` found none and could start none.
        """
        target = self._current(None)
        until, servers = 0.0, 1
        while True:
            try:
                reply = self._post(target, message, version)
                # Another owner may have taken over the address: it has a token of its own.
                renewed = self._current(target) if reply.status == http.client.UNAUTHORIZED else target
                if renewed == target or servers > SERVERS:
                    return reply
                target, until, servers = renewed, 0.0, servers + 1
            except (NotSent, Lost) as error:
                if isinstance(error, Lost) and not repeatable:
                    raise
                # An owner that was just killed looks alive for a moment.
                until = until or time.monotonic() + REPEATED_FOR
                renewed = self._current(target)
                if renewed != target:
                    target, until, servers = renewed, 0.0, servers + 1
                if servers > SERVERS or (until and time.monotonic() > until):
                    raise
                time.sleep(0.02)

    def reach(self) -> Target:
        """The server messages go to, found or started where that has not happened yet."""
        return self._current(None)

    def _current(self, failed: Target | None) -> Target:
        with self._finding:
            if self._target is None or self._target == failed:
                self._target = self._find(failed)
            return self._target

    def _post(self, target: Target, message: Message, version: str | None) -> Reply:
        connection = self._connection(target)
        path = urlsplit(target.url).path or "/mcp"
        try:
            connection.request("POST", path, message.body, self._headers(target, message, version))
            response = connection.getresponse()
            if response.headers.get_content_type() == EVENTS:
                found = _from_events(response, message.id)
                connection.close()  # the server may keep the stream open after the answer
                if message.is_request and not any(one.answers(message.id) or "error" in one.value for one in found):
                    raise Lost("the stream of events ended before the answer")
                return Reply(response.status, found, b"")
            body = response.read()
            return Reply(response.status, _messages(body), body)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise Lost(str(error) or type(error).__name__) from error

    def _connection(self, target: Target) -> http.client.HTTPConnection:
        kept: http.client.HTTPConnection | None = getattr(self._own, "connection", None)
        if kept is not None and self._own.target == target and kept.sock is not None:
            readable, _, _ = select.select([kept.sock], [], [], 0)
            if not readable:  # what can be read between two requests is the server's goodbye
                return kept
        if kept is not None:
            kept.close()
        parts = urlsplit(target.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=CONNECT_TIMEOUT)
        try:
            connection.connect()
        except OSError as error:
            raise NotSent(f"{target.url} cannot be reached: {error}") from error
        connection.sock.settimeout(ANSWER_TIMEOUT)
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._own.connection, self._own.target = connection, target
        return connection

    def _headers(self, target: Target, message: Message, version: str | None) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {target.token}",
            "User-Agent": f"tallystick-bridge/{__version__}",
            "Mcp-Method": header_value(message.method),
        }
        if version is not None:
            headers["MCP-Protocol-Version"] = header_value(version)
        name = message.params.get(NAMED_BY.get(message.method, ""))
        if isinstance(name, str):
            headers["Mcp-Name"] = header_value(name)
        return headers | {key: header_value(value) for key, value in self.identity.items()}


def header_value(text: str) -> str:
    """A text as an HTTP header value; what is not plain ASCII goes as `=?base64?...?=` (MCP 2026-07-28)."""
    if _PLAIN.fullmatch(text) and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode()}?="


def _from_events(stream: Iterable[bytes], request_id: int | str | None) -> tuple[Received, ...]:
    """The messages of server-sent events (HTML standard, 9.2), up to the answer to `request_id`."""
    found: list[Received] = []
    data: list[bytes] = []
    for line in stream:
        line = line.rstrip(b"\r\n")
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            found += _messages(b"\n".join(data))
            data = []
            if found and found[-1].answers(request_id):
                break
    return tuple(found)


def _messages(text: bytes) -> tuple[Received, ...]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return (Received(value, text),) if isinstance(value, dict) and "jsonrpc" in value else ()
