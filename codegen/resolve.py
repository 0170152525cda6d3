"""Turning schemas spread over files into schemas whose references all read `#/$defs/<Name>`.

A reference to `<file>#/$defs/<Name>` stays a reference, to the shared schema of that name. Any other reference (to a
tool's `inputSchema`, to one property) is replaced by a copy of what it names, so that nothing needs a file any more.
Members written beside a `$ref`, such as a `description` or `default`, win over the copy's.
"""

from __future__ import annotations

from typing import Any

from codegen.ir import Json, Schema
from codegen.load import Source
from codegen.place import ContractError, Place, fault
from codegen.walk import rebuild

DROPPED = ("$defs", "$schema", "$id", "$comment")


def shared_schemas(source: Source) -> dict[str, Place]:
    """Return the place of every shared schema by name, sorted.

    Raises ContractError where two files give one name to two schemas.
    """
    places: dict[str, Place] = {}
    for file, document in source.files.items():
        for name in document.get("$defs", {}):
            place = Place(file) / "$defs" / name
            if name in places:
                raise ContractError(fault(place, f"the name {name} is taken by {places[name]}; choose another"))
            places[name] = place
    return dict(sorted(places.items()))


def bundle(source: Source, schema: Json, place: Place, trail: tuple[Place, ...] = ()) -> Json:
    """Return the schema with its references resolved. Raises ContractError where one leads nowhere or in a circle."""
    if not isinstance(schema, dict):
        return schema
    if isinstance(schema.get("$ref"), str):
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        found = source.target(schema["$ref"], place)
        if len(found.keys) == 2 and found.keys[0] == "$defs":
            return {"$ref": f"#/$defs/{found.keys[1]}", **beside}
        if found in trail:
            raise ContractError(fault(place, f'$ref "{schema["$ref"]}" leads back to itself'))
        return {**bundle(source, source.at(found), found, (*trail, found)), **beside}
    kept = {key: value for key, value in schema.items() if key not in DROPPED}
    return rebuild(kept, lambda inner: bundle(source, inner, place, trail))


def follow(source: Source, node: Json, place: Place) -> tuple[Any, Place]:
    """Return what a node that may be `{$ref: ...}` stands for, and where that is written."""
    seen: list[Place] = []
    while isinstance(node, dict) and isinstance(node.get("$ref"), str):
        found = source.target(node["$ref"], place)
        if found in seen:
            raise ContractError(fault(place, f'$ref "{node["$ref"]}" leads back to itself'))
        seen.append(found)
        node, place = source.at(found), found
    return node, place


def root_of(schema: Schema, defs: dict[str, Schema]) -> Schema:
    """Return the schema itself where its root is only a reference to a shared one."""
    while "$ref" in schema:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**defs[schema["$ref"].rpartition("/")[2]], **beside}
    return schema


def without_notes(schema: Json) -> Json:
    """Return the schema without its `x-` members, which speak to the generator only."""
    if not isinstance(schema, dict):
        return schema
    return rebuild({key: value for key, value in schema.items() if not key.startswith("x-")}, without_notes)
