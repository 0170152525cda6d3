"""The HTTP body of /mcp before the SDK sees it: of the right type and size, and one JSON-RPC message.

The SDK answers what is wrong here with the text of its validators, or takes a request with an odd id for a notification and
drops it; a client that waits for an answer has to get one.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive
from tallystick_contract.errors import Code

from ..problem import Problem
from .rest import check_encoding, read_body

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602  # JSON-RPC 2.0, section 5.1

_LONE_SURROGATE = re.compile(
    rb"\\u[dD][89a-fA-F]"
)  # the escape of a half of a pair; whether its other half is there is seen later


@dataclass(frozen=True)
class BadEnvelope(Exception):
    """The body is no JSON-RPC message; `response` says so to the client."""

    response: Response


async def envelope(request: Request) -> bytes:
    """The body of a request to /mcp.

    Raises:
        Problem: UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE.
        BadEnvelope: not JSON, a batch, or an id that is neither a string nor an integer.
    """
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/json":
        raise Problem(Code.UNSUPPORTED_MEDIA_TYPE, f"Content-Type must be application/json, not {media or '(none)'}.")
    check_encoding(request)
    body = await read_body(request)
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        raise BadEnvelope(_error(None, PARSE_ERROR, "Parse error: the body is not JSON.")) from None
    if not isinstance(message, dict):
        raise BadEnvelope(
            _error(None, INVALID_REQUEST, "Send one JSON-RPC message as an object; batches are not taken.")
        )
    number = message.get("id")
    odd = "id" in message and (isinstance(number, bool) or not isinstance(number, str | int))
    if odd or not isinstance(message.get("method", "" if "id" not in message else None), str):
        readable = None if odd else number
        wanted = "an id that is a string or an integer" if odd else "a method"
        raise BadEnvelope(_error(readable, INVALID_REQUEST, f"Invalid request: a JSON-RPC request has {wanted}."))
    if message.get("jsonrpc") != "2.0":
        raise BadEnvelope(_error(number, INVALID_REQUEST, 'Invalid request: jsonrpc must be "2.0".'))
    if not isinstance(message.get("params", {}), dict):
        raise BadEnvelope(_error(number, INVALID_REQUEST, "Invalid request: params must be an object."))
    if _LONE_SURROGATE.search(body) and not _is_text(message):
        raise BadEnvelope(
            _error(number, INVALID_PARAMS, "Invalid params: a text holds a lone surrogate, which is no character.")
        )
    return body


def replayed(body: bytes) -> Receive:
    """A `receive` that gives a body which was read already."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return parts.pop() if parts else {"type": "http.disconnect"}

    return receive


def _is_text(message: object) -> bool:
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _error(request_id: Any, code: int, text: str) -> Response:
    error = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}}
    return Response(json.dumps(error).encode(), 400, media_type="application/json")
