"""One example of an operation as what goes over the wire: an HTTP path and body, the arguments of an MCP call."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

from codegen.ir import Example, Op


def first_success(op: Op) -> Example | None:
    """Return the first example that succeeds: the one to show where only one is shown."""
    return next((example for example in op.examples if example.error is None), None)


def path_of(op: Op, example: Example) -> str:
    """Return the path with the example's path and query parameters in it."""
    where = {param.name: param.where for param in op.parameters}
    path = op.path
    query: dict[str, str] = {}
    for name, value in example.input.items():
        if where.get(name) == "path":
            path = path.replace(f"{{{name}}}", quote(_text(value), safe=""))
        elif where.get(name) == "query" or op.body is None:
            query[name] = _text(
                value
            )  # without a body, what belongs nowhere is sent as a query parameter, to be refused
    return f"{path}?{urlencode(query, quote_via=quote, safe=':,')}" if query else path


def body_of_example(op: Op, example: Example) -> object:
    """Return the HTTP body; None for an operation that has none."""
    if op.body is None:
        return None
    if op.body != "*":
        return example.input.get(op.body)
    in_url = {param.name for param in op.parameters}
    return {name: value for name, value in example.input.items() if name not in in_url}


def arguments_of(op: Op, example: Example) -> dict[str, Any]:
    """Return the `arguments` of tools/call: wrapped in `data` where the tool wants that."""
    return {"data": example.input} if op.arguments == "data" else example.input


def call_of(op: Op, example: Example) -> dict[str, Any]:
    """Return the whole JSON-RPC request."""
    return {
        "id": 1,
        "jsonrpc": "2.0",
        "method": "tools/call",
        "params": {"arguments": arguments_of(op, example), "name": op.name},
    }


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(_text, value)) if isinstance(value, list) else str(value)
