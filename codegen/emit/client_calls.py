"""How an operation looks in the Python client: the names, types and texts that the client's template prints."""

from __future__ import annotations

import json
import keyword
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codegen.emit.openapi import access
from codegen.ir import Contract, Op, Schema
from codegen.resolve import root_of
from codegen.shape import flat

RESERVED = frozenset({"self", "idempotency_key"})
_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_WIDTH = 108


@dataclass(frozen=True)
class Argument:
    """One keyword argument: its name in Python and on the wire, and its type."""

    name: str
    wire: str
    annotation: str
    required: bool
    description: str


@dataclass(frozen=True)
class Pages:
    """The `iter_` method of a list with cursors."""

    name: str
    signature: str
    item: str
    passed: str  # the arguments as they are handed on, all but the cursor


@dataclass(frozen=True)
class Method:
    """One operation as a method."""

    name: str
    summary: str
    docstring: str
    signature: str  # what stands between the parentheses of `def`
    call: str  # the expression that makes the Call
    kind: str  # the transport's method: model, json or text
    returns: str
    pages: Pages | None


def methods_of(op: Op, contract: Contract) -> tuple[Method, ...]:
    """Return the operation as a method of the client; one a branch where it is split, which sends the branch's value."""
    if not op.split:
        return (method(op, contract),)
    return tuple(method(branch.op, contract, {str(op.branch): branch.value}) for branch in op.branches)


def method(op: Op, contract: Contract, constants: Mapping[str, str | None] | None = None) -> Method:
    """Return the operation as a method of the client. `constants` are sent with every call and are no arguments."""
    constants = constants or {}
    schema = flat(op.input_schema, contract.defs)
    arguments = tuple(
        Argument(
            name=_safe(name),
            wire=name,
            annotation=annotation(inner, contract.defs),
            required=name in schema.get("required", ()),
            description=_describe(root_of(inner, contract.defs)),
        )
        for name, inner in schema.get("properties", {}).items()
        if name not in constants
    )
    kind = op.response_kind
    key = ["idempotency_key: str | None = None"] if op.writes else []
    return Method(
        name=op.name,
        summary=op.summary or first_sentence(op.description),
        docstring=_docstring(op, arguments),
        signature=_signature(arguments, key),
        call=_call(op, arguments, constants),
        kind=kind,
        returns={"json": "Any", "text": "str"}.get(kind, f"models.{op.response_name}"),
        pages=_pages(op, arguments, contract.defs),
    )


def _signature(arguments: Sequence[Argument], more: Sequence[str] = ()) -> str:
    keywords = [f"{one.name}: {one.annotation}{'' if one.required else ' | Omitted = OMIT'}" for one in arguments]
    return ", ".join(["self", *(["*", *keywords, *more] if keywords or more else [])])


def _call(op: Op, arguments: Sequence[Argument], constants: Mapping[str, str | None]) -> str:
    where = {param.name: param.where for param in op.parameters}
    path = op.path
    for param in op.parameters:
        path = path.replace(f"{{{param.name}}}", f"{{segment({_safe(param.name)})}}")
    parts = [f'"{op.method}"', f'{"f" if path != op.path else ""}"{path}"']
    query = [one for one in arguments if where.get(one.wire) == "query"]
    if query:
        parts.append(f"query={_mapping(query)}")
    if op.body == "*":
        parts.append(f"body={_mapping([one for one in arguments if one.wire not in where], constants)}")
    elif op.body is not None:
        parts.append(f"body={_safe(op.body)}")
    if op.media and op.media[0] != "application/json":
        parts.append(f'media="{op.media[0]}"')
    accept = op.produces.partition(";")[0]
    if accept != "application/json":
        parts.append(f'accept="{accept}"')
    if op.writes:
        parts.append("writes=True, key=idempotency_key")
    return f"Call({', '.join(parts)})"


def _mapping(arguments: Sequence[Argument], constants: Mapping[str, str | None] | None = None) -> str:
    members = [f'"{name}": "{value}"' for name, value in (constants or {}).items()]
    members += [f'"{one.wire}": {one.name}' for one in arguments]
    return "{" + ", ".join(members) + "}"


def annotation(schema: Schema, defs: dict[str, Schema]) -> str:
    """Return the Python type of a value that fits the schema; a shared object is its model."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        found = root_of(schema, defs)
        return f"models.{name}" if "properties" in found else annotation(found, defs)
    if "const" in schema or "enum" in schema:
        values = [schema["const"]] if "const" in schema else schema["enum"]
        return f"Literal[{', '.join(map(repr, values))}]"
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " | ".join(dict.fromkeys(annotation(branch, defs) for branch in schema[key]))
    kinds = schema.get("type", [])
    return " | ".join(_of_type(kind, schema, defs) for kind in ([kinds] if isinstance(kinds, str) else kinds)) or "Any"


def _of_type(kind: str, schema: Schema, defs: dict[str, Schema]) -> str:
    if kind == "array":
        return f"Sequence[{annotation(schema.get('items', {}), defs)}]"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"Mapping[str, {annotation(inner, defs) if isinstance(inner, dict) else 'Any'}]"
    return _PLAIN[kind]


def class_name(name: str) -> str:
    """Return a name of the contract as a class: NOT_FOUND -> NotFound, memories -> Memories."""
    return "".join(part.capitalize() for part in name.split("_"))


def docstring(text: str) -> str:
    """Return a Python docstring of the text, wrapped, without indentation but for its later lines' own."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    body = "\n".join(lines).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if len(lines) > 1:
        return f'"""{body}\n"""'
    return f'"""{body}{" " if body.endswith(chr(34)) else ""}"""'


def wrapped(text: str, indent: str = "") -> str:
    """Return the paragraphs of a text, each wrapped."""
    return "\n\n".join(
        textwrap.fill(part, _WIDTH, initial_indent=indent, subsequent_indent=indent) for part in paragraphs(text)
    )


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a description, each on one line.

    A folded YAML text has one line break between two paragraphs, a literal one an empty line.
    """
    parts = text.split("\n\n") if "\n\n" in text.strip() else text.split("\n")
    return [" ".join(part.split()) for part in parts if part.strip()]


def first_sentence(text: str) -> str:
    """Return what a description says first, for tables."""
    return re.split(r"(?<=[.!?])\s", (paragraphs(text) or [""])[0])[0]


def _docstring(op: Op, arguments: Sequence[Argument]) -> str:
    parts = [wrapped(op.description or op.summary)]
    listed = [f"{one.name}: {one.description}" for one in arguments]
    if op.writes:
        listed.append("idempotency_key: Repeating the call with it replays the first answer instead of writing again.")
    if listed:
        lines = [
            textwrap.fill(" ".join(line.split()), _WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 8)
            for line in listed
        ]
        parts.append("\n".join(["Args:", *lines]))
    needs = f"Needs {', '.join(op.scopes)}. " if op.scopes else ""
    if op.branches:
        needs = f"{access(op)} "
    raised = ", ".join(class_name(code) for code in op.declared_errors)
    ending = f"{needs}{f'Raises {raised}, among others.' if raised else ''}".strip()
    return docstring("\n\n".join([*parts, *([wrapped(ending)] if ending else [])]))


def _describe(schema: Schema) -> str:
    text = " ".join(str(schema.get("description", "")).split())
    if "default" in schema:
        text += f" Default: {json.dumps(schema['default'], ensure_ascii=False)}."
    return text.strip()


def _pages(op: Op, arguments: tuple[Argument, ...], defs: dict[str, Schema]) -> Pages | None:
    answer: dict[str, Any] = (op.output_schema or {}).get("properties", {})
    takes_cursor = any(one.wire == "cursor" for one in arguments)
    if op.response_kind != "model" or op.writes or not takes_cursor or not {"items", "next_cursor"} <= answer.keys():
        return None
    item = annotation(root_of(answer["items"], defs).get("items", {}), defs)
    rest = tuple(one for one in arguments if one.wire != "cursor")
    passed = "".join(f"{one.name}={one.name}, " for one in rest)
    return Pages(f"iter_{op.name.removeprefix('list_')}", _signature(rest), item, passed)


def _safe(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) or name in RESERVED else name
