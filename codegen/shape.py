"""Other shapes of one schema: a request's body, one flat object without alternatives, a copy with nothing to follow.

All of them accept at least what the strict schema accepts; `lint/advertised.py` proves it for what clients are shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codegen.ir import Json, Op, Schema
from codegen.place import Place
from codegen.resolve import root_of
from codegen.walk import rebuild, walk

COMBINATORS = ("oneOf", "anyOf", "allOf", "not", "if", "then", "else")
CONDITIONS = ("not", "if", "then", "else", "dependentRequired", "dependentSchemas", "unevaluatedProperties")


def body_of(op: Op) -> Schema | None:
    """Return the strict schema of the operation's HTTP body: the input without what travels in the URL."""
    if op.body is None:
        return None
    if op.body != "*":
        inner = op.input_schema["properties"][op.body]
        return dict(inner)
    in_url = {param.name for param in op.parameters}
    if not in_url:
        return op.input_schema
    schema = dict(op.input_schema)
    schema["properties"] = {name: inner for name, inner in schema["properties"].items() if name not in in_url}
    if "required" in schema:
        schema["required"] = [name for name in schema["required"] if name not in in_url]
        if not schema["required"]:
            del schema["required"]
    return schema


def reachable(schemas: Iterable[Schema], defs: dict[str, Schema]) -> dict[str, Schema]:
    """Return the shared schemas that these schemas lead to, directly or not, sorted by name."""
    found: set[str] = set()
    waiting = list(schemas)
    while waiting:
        for node in walk(waiting.pop(), Place("")):
            name = str(node.schema.get("$ref", "")).rpartition("/")[2]
            if name and name not in found:
                found.add(name)
                waiting.append(defs[name])
    return {name: defs[name] for name in sorted(found)}


def standalone(schema: Schema, defs: dict[str, Schema]) -> Schema:
    """Return the schema with the shared schemas it needs in its own `$defs`."""
    needed = reachable([schema], defs)
    return {**schema, "$defs": needed} if needed else schema


def flat(schema: Schema, defs: dict[str, Schema]) -> Schema:
    """Return one plain object for a root that has alternatives or conditions.

    It has the properties of all branches and requires what all require. Equal names with different schemas become an
    `anyOf`, constants one `enum`. A default that only some branch has is left out: a client that fills it in would
    break the call of another branch.
    """
    schema = root_of(schema, defs)
    own = {key: value for key, value in schema.items() if key not in (*COMBINATORS, *CONDITIONS)}
    parts = [flat(branch, defs) for branch in schema.get("allOf", [])]
    choices = [[flat(branch, defs) for branch in schema.get(key, [])] for key in ("oneOf", "anyOf")]
    choices.append([flat(schema[key], defs) if key in schema else {} for key in ("then", "else")])
    if not parts and not any(any(choice) for choice in choices):
        return own
    properties = dict(own.get("properties", {}))
    required = list(own.get("required", []))
    for part in [*parts, *(_choice(branches) for branches in choices if branches)]:
        _add(properties, part.get("properties", {}))
        required += [name for name in part.get("required", []) if name not in required]
    closed = "additionalProperties" in own or schema.get("unevaluatedProperties") is False or _all_closed(schema, defs)
    return {
        **own,
        "type": "object",
        "properties": properties,
        **({"additionalProperties": own.get("additionalProperties", False)} if closed else {}),
        **({"required": required} if required else {}),
    }


def _choice(branches: list[Schema]) -> Schema:
    """Return what holds whichever of the branches is taken."""
    properties: dict[str, Any] = {}
    for branch in branches:
        _add(properties, branch.get("properties", {}))
    for name, inner in properties.items():
        if any(name not in branch.get("properties", {}) for branch in branches):
            properties[name] = {key: value for key, value in inner.items() if key != "default"}
    first, *others = (branch.get("required", []) for branch in branches)
    return {"properties": properties, "required": [name for name in first if all(name in other for other in others)]}


def inlined(schema: Json, defs: dict[str, Schema], trail: tuple[str, ...] = ()) -> Json:
    """Return the schema with every reference replaced by what it names, and without conditions.

    A shared schema that contains itself becomes a free object where it repeats. `oneOf` becomes `anyOf`: without its
    conditions, a value may fit two branches.
    """
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        if name in trail:
            return {"type": "object", "additionalProperties": True, "description": f"Another {name}.", **beside}
        return inlined({**defs[name], **beside}, defs, (*trail, name))
    kept = {key: value for key, value in schema.items() if key not in (*CONDITIONS, "discriminator")}
    if "oneOf" in kept:
        kept["anyOf"] = kept.pop("oneOf")
    return rebuild(kept, lambda inner: inlined(inner, defs, trail))


def _add(properties: dict[str, Any], more: dict[str, Any]) -> None:
    for name, schema in more.items():
        properties[name] = _either(properties[name], schema) if name in properties else schema


def _either(one: Schema, other: Schema) -> Schema:
    if one == other or not other:
        return one
    values = [*_values(one)] if _values(one) and _values(other) else []
    if values:
        values += [value for value in _values(other) if value not in values]
        kept = {key: value for key, value in one.items() if key not in ("const", "enum")}
        return {**kept, **_described(one, other), "enum": values}
    if _undescribed(one) == _undescribed(other):
        return {**one, **_described(one, other)}
    branches = [*one["anyOf"]] if "anyOf" in one and set(one) <= {"anyOf", "description"} else [one]
    same = one.get("description") is not None and one.get("description") == other.get("description")
    said = {"description": one["description"]} if same else {}  # what both say is said of the whole
    return one if other in branches else {**said, "anyOf": [*branches, other]}


def _described(one: Schema, other: Schema) -> Schema:
    """Return the description of a property that two branches describe, each for itself."""
    texts = dict.fromkeys(schema["description"] for schema in (one, other) if "description" in schema)
    if len(texts) == 2 and str(other["description"]) in str(one["description"]):
        return {}
    return {"description": " ".join(texts)} if texts else {}


def _undescribed(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key != "description"}


def _values(schema: Schema) -> list[Any]:
    return [schema["const"]] if "const" in schema else list(schema.get("enum", []))


def _all_closed(schema: Schema, defs: dict[str, Schema]) -> bool:
    branches = [*schema.get("oneOf", []), *schema.get("anyOf", [])]
    return bool(branches) and all(root_of(branch, defs).get("additionalProperties") is False for branch in branches)
