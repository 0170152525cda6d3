"""A Linear on a loopback port. It is as strict as Linear or stricter, takes planted faults, and records what it was asked.

The standard library's server, since a fault must be able to close the socket or to promise more bytes than it sends.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from graphql import (
    DocumentNode,
    GraphQLError,
    OperationDefinitionNode,
    execute_sync,
    get_operation_ast,
    get_variable_values,
    parse,
    validate,
)

from tests.linear import refusals
from tests.linear.complexity import LIMIT, complexity
from tests.linear.contract import SCHEMA
from tests.linear.data import KEYS, workspaces
from tests.linear.faults import Answer, Fault, answer
from tests.linear.mutations import Mutations
from tests.linear.queries import Queries
from tests.linear.rows import Workspace

HOUR = 3600


class Root(Queries, Mutations):
    """Where execution begins."""


@dataclass
class Received:
    """One request that named a workspace by its key, which is not kept."""

    workspace: str
    operation: str | None
    variables: dict[str, Any]
    writes: bool = False
    applied: bool = False
    fault: str | None = None
    status: int | None = None
    """None until it is answered, and where the connection was closed."""


class Unanswerable(Exception):
    """A request that is refused before it is carried out."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(status)
        self.answer = answer(status, body)


class LinearServer:
    """Use it as a context manager. `workspaces` are by label (AV, JL), `received` holds the requests in their order."""

    keys = KEYS

    def __init__(
        self, port: int = 0, requests_an_hour: int = 2500, told: Callable[[Received], None] | None = None
    ) -> None:
        by_key = workspaces()
        self.workspaces: dict[str, Workspace] = {label: by_key[key] for label, key in KEYS.items()}
        self.received: list[Received] = []
        self.closing = threading.Event()
        self.limit = requests_an_hour
        self._labels = {key: label for label, key in KEYS.items()}
        self._left = dict.fromkeys(KEYS, requests_an_hour)
        self._reset = int((time.time() + HOUR) * 1000)
        self._planted: list[tuple[Fault, str | None]] = []
        self._lock = threading.Lock()
        self._told = told
        self._http = _Http(("127.0.0.1", port), _Handler)
        self._http.linear = self
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/graphql"

    def __enter__(self) -> LinearServer:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    def renew(self) -> None:
        """Forget what was written: both organizations are as they were at the start."""
        by_key = workspaces()
        with self._lock:
            self.workspaces.update({label: by_key[key] for label, key in KEYS.items()})

    def plant(self, fault: Fault, times: int = 1, operation: str | None = None) -> None:
        """Let a fault befall the next requests, or the next of one operation; several are used up in their order."""
        self._planted += [(fault, operation)] * times

    def sent(self, operation: str) -> list[Received]:
        """Return the requests of one operation."""
        return [request for request in self.received if request.operation == operation]

    @property
    def writes(self) -> list[Received]:
        """The mutations that were asked for, whether they were carried out or not."""
        return [request for request in self.received if request.writes]

    def handle(self, authorization: str, content_type: str, body: bytes) -> tuple[Answer | None, float]:
        """Return the answer, or None where the connection is closed, and how long it is held back."""
        with self._lock:
            try:
                label = self._known(authorization)
            except Unanswerable as refusal:
                return refusal.answer, 0
            self._left[label] -= 1
            request = Received(label, None, {})
            self.received.append(request)
            fault, reply = self._reply(request, content_type, body)
            spoiled = fault.spoil(reply) if fault else reply
            request.status = spoiled.status if spoiled else None
            request.fault = fault.name if fault else None
            if spoiled:
                spoiled.headers = self._rates(label) | reply.headers | spoiled.headers
        if self._told:
            self._told(request)
        return spoiled, fault.wait if fault else 0

    def _known(self, authorization: str) -> str:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer" and token.startswith("lin_api_"):
            raise Unanswerable(400, refusals.BEARER)
        if authorization not in self._labels:
            raise Unanswerable(401, refusals.UNAUTHENTICATED)
        return self._labels[authorization]

    def _reply(self, request: Received, content_type: str, body: bytes) -> tuple[Fault | None, Answer]:
        fault: Fault | None = None
        try:
            document, operation, variables = self._read(request, content_type, body)
            fault = self._fault(request.operation)
            if self._left[request.workspace] < 0:
                raise Unanswerable(400, refusals.rate_limited(self.limit))
            values = self._values(document, operation, variables)
            points = complexity(document, operation, values)
            if points > LIMIT:
                raise Unanswerable(400, refusals.too_complex(points, LIMIT))
        except Unanswerable as refusal:
            return fault, refusal.answer
        if fault and not fault.applied:
            return fault, answer(200, {})
        for key in fault.forgets if fault else ():
            variables.get("input", {}).pop(key, None)
        result = execute_sync(
            SCHEMA, document, Root(), self.workspaces[request.workspace], variables, operation_name=request.operation
        )
        request.applied = not result.errors
        return fault, answer(200, _numbers(result.formatted), X_Complexity=str(points))

    def _read(
        self, request: Received, content_type: str, body: bytes
    ) -> tuple[DocumentNode, OperationDefinitionNode, dict[str, Any]]:
        try:
            sent = json.loads(body)
            query, variables = sent["query"], sent.get("variables") or {}
        except (ValueError, KeyError, TypeError, AttributeError):
            raise _bad("POST body missing, invalid Content-Type, or JSON object has no keys.", "BAD_REQUEST") from None
        if not content_type.startswith("application/json"):
            raise _bad("The Content-Type must be application/json.", "BAD_REQUEST")
        request.operation, request.variables = sent.get("operationName"), json.loads(json.dumps(variables))
        try:
            document = parse(query)
        except GraphQLError as error:
            raise Unanswerable(400, refusals.malformed([error], "GRAPHQL_PARSE_FAILED")) from None
        if errors := validate(SCHEMA, document):
            raise Unanswerable(400, refusals.malformed(errors, "GRAPHQL_VALIDATION_FAILED"))
        operation = get_operation_ast(document, request.operation)
        if operation is None:
            raise _bad(f'Unknown operation named "{request.operation}".', "OPERATION_RESOLUTION_FAILURE")
        request.operation = operation.name.value if operation.name else None
        request.writes = operation.operation.value == "mutation"
        return document, operation, variables

    def _values(
        self, document: DocumentNode, operation: OperationDefinitionNode, variables: dict[str, Any]
    ) -> dict[str, Any]:
        """The variables with their defaults. One that the operation does not declare is refused, which Linear lets pass."""
        declared = operation.variable_definitions or ()
        if unknown := set(variables) - {node.variable.name.value for node in declared}:
            raise _bad(f"Variables that are not declared: {', '.join(sorted(unknown))}.", "BAD_USER_INPUT")
        values = get_variable_values(SCHEMA, declared, variables)
        if isinstance(values, list):
            raise Unanswerable(400, refusals.malformed(values, "BAD_USER_INPUT"))
        return values.coerced

    def _fault(self, operation: str | None) -> Fault | None:
        for place, (fault, wanted) in enumerate(self._planted):
            if wanted in (None, operation):
                del self._planted[place]
                return fault
        return None

    def _rates(self, label: str) -> dict[str, str]:
        return {
            "X-RateLimit-Requests-Limit": str(self.limit),
            "X-RateLimit-Requests-Remaining": str(max(self._left[label], 0)),
            "X-RateLimit-Requests-Reset": str(self._reset),
        }


def _numbers(value: Any) -> Any:
    """A Float without a fraction is written as 3, not 3.0, as JavaScript does."""
    if isinstance(value, dict):
        return {key: _numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_numbers(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _bad(message: str, code: str) -> Unanswerable:
    return Unanswerable(400, refusals.malformed([GraphQLError(message)], code))


class _Http(ThreadingHTTPServer):
    block_on_close = False  # a request that hangs ends with the process
    request_queue_size = 128
    linear: LinearServer

    def handle_error(self, *request: Any) -> None:
        """A caller that hangs up is no error here."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(*request)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes
    server: _Http

    def do_POST(self) -> None:
        linear = self.server.linear
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path != "/graphql":
            return self._send(Answer(404, b"Not Found", {"Content-Type": "text/plain"}))
        headers = self.headers
        reply, wait = linear.handle(headers.get("Authorization", ""), headers.get("Content-Type", ""), body)
        if wait:
            linear.closing.wait(wait)
        if reply is None:
            self.close_connection = True
            return None
        return self._send(reply)

    def _send(self, reply: Answer) -> None:
        linear = self.server.linear
        headers = {"Content-Type": "application/json; charset=utf-8", **reply.headers}
        try:
            self.send_response(reply.status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body) if reply.claimed is None else reply.claimed))
            self.end_headers()
            for piece in [bytes([byte]) for byte in reply.body] if reply.pause else [reply.body]:
                self.wfile.write(piece)
                if linear.closing.wait(reply.pause):
                    break
        except ConnectionError:  # the caller did not wait
            self.close_connection = True
        if reply.claimed is not None:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Nothing: a log line could show a key."""
