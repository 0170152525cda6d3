"""Walking JSON Schemas by keyword, so that data in them (`example`, `default`, `enum`) is never taken for a schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from codegen.ir import Json, Schema
from codegen.place import Place

MAPS = ("properties", "$defs", "patternProperties", "dependentSchemas")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
SINGLES = (
    "items",
    "additionalProperties",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
)


@dataclass(frozen=True)
class Node:
    """A schema met on a walk. `within` is the keyword that holds it: "" for the root, else "properties", "items"..."""

    place: Place
    schema: Schema
    within: str


def walk(schema: Json, place: Place, within: str = "") -> Iterator[Node]:
    """Yield the schema and every schema written inside it, parents first; references are not followed."""
    if not isinstance(schema, dict):
        return
    yield Node(place, schema, within)
    for key in MAPS:
        for name, inner in _members(schema.get(key)):
            yield from walk(inner, place / key / name, key)
    for key in LISTS:
        for index, inner in enumerate(_elements(schema.get(key))):
            yield from walk(inner, place / key / index, key)
    for key in SINGLES:
        yield from walk(schema.get(key), place / key, key)


def rebuild(schema: Schema, change: Callable[[Any], Any]) -> Schema:
    """Return a copy of the schema in which `change` has been applied to each schema directly inside it."""
    copy = dict(schema)
    for key in MAPS:
        if isinstance(copy.get(key), dict):
            copy[key] = {name: change(inner) for name, inner in copy[key].items()}
    for key in LISTS:
        if isinstance(copy.get(key), list):
            copy[key] = [change(inner) for inner in copy[key]]
    for key in SINGLES:
        if isinstance(copy.get(key), dict):
            copy[key] = change(copy[key])
    return copy


def _members(value: Json) -> list[tuple[str, Any]]:
    return [(str(name), inner) for name, inner in value.items()] if isinstance(value, dict) else []


def _elements(value: Json) -> list[Any]:
    return value if isinstance(value, list) else []
