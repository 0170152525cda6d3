"""help.json: what get_help answers from: each tool's contract, the REST-only operations, the error codes, the topics.

A tool's entry has the form that agents know from the documentation of recall_memory: a REST contract with a body to
send as it is, and an MCP contract with a call to send as it is. `security_schemes` is the server's to add to the
latter, where it has an issuer configured; the contract knows none.
"""

from __future__ import annotations

from typing import Any

from codegen.advertise import advertised_input, advertised_output
from codegen.emit.examples import arguments_of, body_of_example, call_of, first_success, path_of
from codegen.ir import Branch, Contract, ErrorSpec, Op, Param
from codegen.shape import body_of, inlined
from codegen.text import dump_json

_AUTHORIZATION = "Bearer <agent_key>"
_RULE = (
    "If body_schema is present, send an object matching it directly as the HTTP JSON body. Do not wrap it in"
    ' {"data": ...}. Path and query parameters are not body fields.'
)
_BARE = "Send example_body directly. A literal top-level data property is invalid in REST."
_WHOLE = "Send example_body directly: the body is the value of {name} itself, without that name around it."
_NONE = "Send no body."
_KEY = "Optional key of this write, 1 to 128 characters. The same key and arguments replay the first answer."


def emit(contract: Contract) -> dict[str, str]:
    """Return help.json with the members tools, operations (those that are no tools), errors and topics."""
    document = {
        "tools": {op.name: _entry(op, contract) for op in contract.operations if op.tool},
        "operations": {op.name: _entry(op, contract) for op in contract.operations if not op.tool},
        "errors": {spec.code: _error(spec) for spec in contract.errors.values()},
        "topics": contract.help,
    }
    return {"tallystick_contract/help.json": dump_json(document)}


def _entry(op: Op, contract: Contract) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "title": op.title,
        "text": op.description,
        "rest": {"body_rule": _RULE, "requests": [request(part, contract) for part in op.parts]},
    }
    return {**entry, "mcp": mcp(op, contract)} if op.tool else entry


def request(op: Op, contract: Contract) -> dict[str, Any]:
    """Return an operation's HTTP request, so that a reader who has nothing else can send it."""
    found: dict[str, Any] = {"body_rule": _NONE, "method": op.method, "path": op.path}
    if not op.public:
        found["authorization"] = _AUTHORIZATION
    example = first_success(op)
    schema = body_of(op)
    if schema is not None:
        found["body_rule"] = _BARE if op.body == "*" else _WHOLE.format(name=op.body)
        found["body_schema"] = inlined(schema, contract.defs)
        if example is not None:
            found["example_body"] = body_of_example(op, example)
        if op.media[0] != "application/json":
            found["content_type"] = op.media[0]
    if op.parameters:
        found["parameters"] = [_parameter(param, contract) for param in op.parameters]
        if example is not None:
            found["example_path"] = path_of(op, example)
    if op.writes:
        found["headers"] = {"Idempotency-Key": _KEY}
    return dict(sorted(found.items()))


def mcp(op: Op, contract: Contract) -> dict[str, Any]:
    """Return a tool's side of MCP, with a whole JSON-RPC call."""
    found: dict[str, Any] = {
        "annotation_justifications": op.justifications,
        "annotations": op.annotations,
        "arguments_schema": advertised_input(op, contract),
        "output_schema": advertised_output(op, contract),
        "tool": op.name,
    }
    example = first_success(op)
    if example is not None:
        found |= {"example_arguments": arguments_of(op, example), "example_call": call_of(op, example)}
    if op.split:
        found["branches"] = {str(branch.value): _branch(branch, op, contract) for branch in op.branches}
    return dict(sorted(found.items()))


def _branch(branch: Branch, op: Op, contract: Contract) -> dict[str, Any]:
    found = {
        "text": branch.op.description,
        "scopes": list(branch.op.scopes),
        "arguments_schema": advertised_input(branch.op, contract),
    }
    example = first_success(branch.op)
    return found if example is None else {**found, "example_arguments": arguments_of(op, example)}


def _parameter(param: Param, contract: Contract) -> dict[str, Any]:
    schema = inlined(param.schema, contract.defs)
    return {
        "name": param.name,
        "in": param.where,
        "required": param.required,
        "description": param.description,
        "schema": {key: value for key, value in schema.items() if key != "description"},
    }


def _error(spec: ErrorSpec) -> dict[str, Any]:
    return {
        "code": spec.code,
        "status": spec.status,
        "retryable": spec.retryable,
        "message": spec.message,
        "next_action": spec.next_action,
        "explanation": spec.help,
    }
