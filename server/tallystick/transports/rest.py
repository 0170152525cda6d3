"""REST: one Starlette route for each operation of the generated table."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send
from tallystick_contract.errors import Code
from tallystick_contract.operations import Operation, Parameter

from ..endpoint import Answer, Endpoint, new_request_id
from ..payload import parse_json
from ..problem import Problem
from .access import Access
from .respond import problem_response

MAX_BODY = 4 * 1024 * 1024
STALLED = 30.0
"""Seconds without a byte after which a body is given up."""

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)", re.ASCII)


def routes(endpoints: Iterable[Endpoint], access: Access) -> list[Route]:
    """The routes of all endpoints; fixed paths come before those with parameters, and tools, called most, before others."""
    ordered = sorted(endpoints, key=lambda e: ("{" in e.operation.path, not e.operation.tool, e.operation.path))
    return [
        Route(e.operation.path, RestRoute(e, access), methods=[e.operation.method], name=e.operation.name)
        for e in ordered
    ]


class RestRoute:
    """ASGI application of one operation: HTTP in, the endpoint's answer or problem out."""

    def __init__(self, endpoint: Endpoint, access: Access) -> None:
        self._endpoint = endpoint
        self._access = access
        self._query = {p.name: p for p in endpoint.operation.parameters if p.where == "query"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        request_id = new_request_id()
        response = await self._respond(request, request_id)
        await response(scope, receive, send)

    async def _respond(self, request: Request, request_id: str) -> Response:
        operation = self._endpoint.operation
        caller = None
        try:
            check_size(request, operation.max_body or MAX_BODY)
            if not operation.public:
                caller = await self._access.caller(request.headers)
                self._endpoint.permit(caller)
            raw = await self._arguments(request)
            key = operation_key(request) if operation.writes else None
        except Problem as problem:
            self._endpoint.refuse(problem, caller, request_id)
            return problem_response(problem, request_id)
        try:
            answer = await self._access.call(self._endpoint, raw, caller, key, request_id)
        except Problem as problem:
            return problem_response(problem, request_id)
        return _response(answer, operation, request_id)

    async def _arguments(self, request: Request) -> dict[str, Any]:
        operation = self._endpoint.operation
        raw: dict[str, Any] = dict(request.path_params)
        for name, value in request.query_params.multi_items():
            if name in raw:
                raise Problem(Code.INVALID_PARAMS, f"/{name} is given more than once.")
            raw[name] = typed(value, self._query.get(name))
        if operation.body is None:
            return raw
        check_media(request, operation)
        check_encoding(request)
        body = parse_json(await read_body(request, operation.max_body or MAX_BODY))
        if operation.body != "*":
            raw[operation.body] = body
        elif isinstance(body, dict):
            clash = sorted(raw.keys() & body.keys())
            if clash:
                raise Problem(Code.INVALID_PARAMS, f"/{clash[0]} belongs in the path or query, not in the body.")
            raw |= body
        else:
            raise Problem(Code.INVALID_PARAMS, "The body must be a JSON object.")
        return raw


def operation_key(request: Request) -> str | None:
    """The Idempotency-Key header.

    Raises:
        Problem: INVALID_PARAMS where there are several, since any choice among them could write twice.
    """
    keys = request.headers.getlist("idempotency-key")
    if len(keys) > 1:
        raise Problem(Code.INVALID_PARAMS, "The header Idempotency-Key is there more than once; send one.")
    return keys[0] if keys else None


def typed(value: str, parameter: Parameter | None) -> Any:
    """A query value as its schema's type, or the text itself where it does not parse (the schema then refuses it)."""
    if parameter is None or parameter.type == "string":
        return value
    if parameter.type == "integer" and _INTEGER.fullmatch(value) and len(value) < 20:
        return int(value)
    if parameter.type == "boolean" and value in ("true", "false"):
        return value == "true"
    return value


def check_size(request: Request, limit: int = MAX_BODY) -> None:
    """Raise Problem(PAYLOAD_TOO_LARGE) where Content-Length says so, before anything else is looked at."""
    length = request.headers.get("content-length", "0")
    if length.isdigit() and int(length) > limit:
        raise _too_large(limit)


def check_media(request: Request, operation: Operation) -> None:
    """Raise Problem(UNSUPPORTED_MEDIA_TYPE) unless the body is of a type the operation takes."""
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given not in operation.media:
        wanted = " or ".join(operation.media)
        raise Problem(Code.UNSUPPORTED_MEDIA_TYPE, f"Content-Type must be {wanted}, not {given or '(none)'}.")


def check_encoding(request: Request) -> None:
    """Raise Problem(UNSUPPORTED_MEDIA_TYPE) for a compressed body or one in another character set: neither is decoded here."""
    coding = request.headers.get("content-encoding", "identity").strip().lower()
    charset = request.headers.get("content-type", "").lower().partition("charset=")[2].strip(' "') or "utf-8"
    if coding != "identity":
        raise Problem(
            Code.UNSUPPORTED_MEDIA_TYPE, f"Content-Encoding {coding[:40]} is not taken; send the body as it is."
        )
    if charset not in ("utf-8", "utf8", "us-ascii"):
        raise Problem(Code.UNSUPPORTED_MEDIA_TYPE, f"The character set {charset[:40]} is not taken; JSON is UTF-8.")


async def read_body(request: Request, limit: int = MAX_BODY) -> bytes:
    """The body, read no further than the limit (a chunked body has no length to check).

    Raises:
        Problem: PAYLOAD_TOO_LARGE; INVALID_PARAMS where it stopped on its way, or the client has gone.
    """
    parts, size = [], 0
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(STALLED) as silence:
            async for chunk in request.stream():
                silence.reschedule(loop.time() + STALLED)
                size += len(chunk)
                if size > limit:
                    raise _too_large(limit)
                parts.append(chunk)
    except TimeoutError:
        raise Problem(
            Code.INVALID_PARAMS, f"The body stopped after {size} bytes and did not go on for {STALLED:.0f} s."
        ) from None
    except ClientDisconnect:
        raise Problem(Code.INVALID_PARAMS, f"The client went away after {size} bytes of the body.") from None
    return b"".join(parts)


def _too_large(limit: int) -> Problem:
    return Problem(Code.PAYLOAD_TOO_LARGE, f"The body is larger than {limit} bytes.")


def _response(answer: Answer, operation: Operation, request_id: str) -> Response:
    headers = {"x-request-id": request_id}
    if operation.location is not None:
        headers["location"] = answer.location(operation.location)
    return Response(answer.body, answer.status, headers, answer.media_type)
