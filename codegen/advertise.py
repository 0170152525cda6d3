"""What tools/list shows of a tool: its schemas cut to what every MCP client can take.

The root is one object without alternatives, nothing is a reference, every property says its type and meaning. The
server goes on checking calls with the strict schema; these tell a model what to send and a client what may come back.
"""

from __future__ import annotations

from codegen.implied import OPERATION_KEY
from codegen.ir import Contract, Json, Op, Schema
from codegen.shape import flat, inlined
from codegen.walk import rebuild

_TEXT: Schema = {"type": "string"}

# As the documentation of recall_memory prints it.
_PRINTED: Schema = {
    "error": {
        "type": "object",
        "properties": {
            "code": _TEXT,
            "message": _TEXT,
            "next_action": _TEXT,
            "help": _TEXT,
            "retry_after_seconds": {"type": "integer"},
        },
        "required": ["code", "message", "next_action", "help"],
    },
    "next_cursor": _TEXT,
    "operation": {"type": "object"},
    "replayed": {"type": "boolean"},
    "truncated": {"type": "boolean"},
}
_CODE: Schema = {"type": "string", "description": "One of the error codes that get_help explains."}
_MESSAGE: Schema = {"type": "string", "description": "What went wrong, for people."}
_NEXT: Schema = {"type": "string", "description": "What to do about it."}

_FAILURE: dict[str, dict[str, Schema]] = {
    "nexus": {
        "error": {
            "type": "boolean",
            "description": "true where the call failed; code and suggestion are there too.",
        },
        "message": _MESSAGE,
        "code": _CODE,
        "suggestion": _NEXT,
    },
    "memvault": {
        "error": {
            "type": "object",
            "description": "Present where the call failed.",
            "properties": {"code": _CODE, "message": _MESSAGE},
            "required": ["code", "message"],
        }
    },
    "recall": {
        "error": {
            "type": "object",
            "description": "Present where the call failed.",
            "properties": {
                "code": _CODE,
                "message": _MESSAGE,
                "next_action": _NEXT,
                "help": {"type": "string", "description": "Where more is said: a call of get_help."},
                "retry_after_seconds": {"type": "integer", "description": "How long to wait before trying again."},
            },
            "required": ["code", "message", "next_action", "help"],
        }
    },
}


def advertised_input(op: Op, contract: Contract) -> Schema:
    """Return the arguments schema of a tool: the wrapper `data` where the tool has one, `operation_key` for a write."""
    schema: Schema = inlined(flat(op.input_schema, contract.defs), contract.defs)
    if op.arguments == "data":
        if not op.as_printed:
            schema.setdefault("description", f"The arguments of {op.name}.")
        schema = {"type": "object", "properties": {"data": schema}, "required": ["data"], "additionalProperties": False}
    if op.writes:
        schema = {**schema, "properties": {**schema["properties"], "operation_key": OPERATION_KEY}}
    return schema


def strict_arguments(op: Op) -> Schema:
    """Return the strict schema in the form in which MCP carries it, to compare with what is advertised."""
    if op.arguments == "flat":
        return op.input_schema
    data = {"data": op.input_schema}
    return {"type": "object", "properties": data, "required": ["data"], "additionalProperties": False}


def advertised_output(op: Op, contract: Contract) -> Schema:
    """Return a schema that success and failure both fit: an open object that requires nothing and knows `error`.

    TypeScript clients validate structuredContent of failed calls too.
    """
    if op.as_printed:
        return {
            "type": "object",
            "description": f"Structured result for {op.name}. Resource fields vary by detail, permissions and"
            " operation. Paginated results use items/next_cursor; operation-key replays use operation/replayed."
            " Failures have error and the MCP result has isError=true. See get_help for this tool's contract.",
            "properties": _PRINTED,
            "additionalProperties": True,
        }
    schema = opened(inlined(flat(op.output_schema or {}, contract.defs), contract.defs))
    properties = {name: _brief(inner) for name, inner in schema.get("properties", {}).items()}
    failure = {name: inner for name, inner in _FAILURE[op.family].items() if name not in properties}
    kept = {key: value for key, value in schema.items() if key in ("title", "description")}
    return {**kept, "type": "object", "properties": {**properties, **failure}, "additionalProperties": True}


def _brief(schema: Schema) -> Schema:
    """Return a property that is another object in each of many branches as a free one: a model that reads tools/list pays for
    every word of it, and finds in the answer itself what it holds."""
    if len(schema.get("anyOf", ())) < 3 or any(branch.get("type") != "object" for branch in schema["anyOf"]):
        return schema
    return {"type": "object", "description": schema["description"], "additionalProperties": True}


def opened(schema: Json) -> Json:
    """Return an output schema that later versions' further properties still fit."""
    if not isinstance(schema, dict):
        return schema
    kept = {k: v for k, v in schema.items() if not (k == "additionalProperties" and v is False)}
    return rebuild(kept, opened)
