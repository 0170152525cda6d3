"""The request of an operation: its path and query parameters, and, for a REST-only one, the schema of all it takes."""

from __future__ import annotations

from typing import Any

from codegen.ir import Param, Schema
from codegen.load import Source
from codegen.place import ContractError, Place, fault
from codegen.resolve import bundle, follow, root_of, without_notes

URL_TYPES = ("string", "integer", "boolean", "array")


def build_parameters(source: Source, defs: dict[str, Schema], path: str, place: Place) -> tuple[Param, ...]:
    """Return the parameters of the operation at `place` and of its path item. Raises ContractError."""
    item_place = Place(place.file, place.keys[:-1])
    found: list[Param] = []
    for owner in (item_place, place):
        for index, entry in enumerate(source.at(owner).get("parameters", [])):
            node, where = follow(source, entry, owner / "parameters" / index)
            found.append(_parameter(source, defs, node, where))
    names = [param.name for param in found]
    if len(names) != len(set(names)):
        raise ContractError(fault(place / "parameters", "a parameter is declared twice; keep one"))
    in_path = {part[1:-1] for part in path.split("/") if part.startswith("{")}
    declared = {param.name for param in found if param.where == "path"}
    if in_path != declared:
        odd = ", ".join(sorted(in_path ^ declared))
        raise ContractError(fault(place, f"path {path} and the parameters with `in: path` differ in: {odd}"))
    return tuple(found)


def _parameter(source: Source, defs: dict[str, Schema], node: dict[str, Any], place: Place) -> Param:
    missing = [key for key in ("name", "in", "schema") if key not in node]
    if missing:
        raise ContractError(fault(place, f"no {missing[0]}; add {missing[0]}"))
    if node["in"] not in ("path", "query"):
        raise ContractError(fault(place, f"in: {node['in']}; a parameter stands in path or query"))
    schema = without_notes(bundle(source, node["schema"], place / "schema"))
    kind = root_of(schema, defs).get("type")
    if kind not in URL_TYPES:
        raise ContractError(fault(place / "schema", f"type {kind}; a parameter is one of {', '.join(URL_TYPES)}"))
    return Param(
        name=node["name"],
        where=node["in"],
        type=kind,
        required=node["in"] == "path" or node.get("required", False),
        schema=schema,
        description=str(node.get("description") or root_of(schema, defs).get("description", "")).strip(),
    )


def body_place(place: Place, media: str) -> Place:
    """Return where the body's schema of the operation at `place` is written."""
    return place / "requestBody" / "content" / media / "schema"


def body_schema(source: Source, place: Place) -> Schema:
    """Return the schema of the body, references resolved; raises ContractError where it is missing."""
    content = source.at(place)["requestBody"].get("content", {})
    schemas: list[Schema] = []
    for media, inside in content.items():
        if "schema" not in inside:
            raise ContractError(fault(place / "requestBody" / "content" / media, "no schema; add schema"))
        schemas.append(without_notes(bundle(source, inside["schema"], body_place(place, media))))
    if not schemas or any(schema != schemas[0] for schema in schemas):
        raise ContractError(fault(place / "requestBody" / "content", "name media types of one schema"))
    return schemas[0]


def request_schema(
    source: Source, defs: dict[str, Schema], parameters: tuple[Param, ...], body: str | None, place: Place
) -> Schema:
    """Return the strict schema of a REST-only operation: one closed object of parameters and body members."""
    properties = {param.name: _described(param, defs) for param in parameters}
    required = [param.name for param in parameters if param.required]
    rest: Schema = {}
    if body is not None:
        written = body_schema(source, place)
        if body != "*":
            properties[body] = written
            required.append(body)
        else:
            schema = root_of(written, defs)
            rest = _carried(schema, bool(parameters), place)
            clash = sorted(set(properties) & set(schema.get("properties", {})))
            if clash:
                raise ContractError(fault(place, f"{clash[0]} is both a parameter and a member of the body; keep one"))
            properties.update(schema.get("properties", {}))
            required += schema.get("required", [])
    closed: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        closed["required"] = required
    whole: Schema = without_notes({**closed, **rest})
    return whole


def _described(param: Param, defs: dict[str, Schema]) -> Schema:
    if param.description and root_of(param.schema, defs).get("description") != param.description:
        return {**param.schema, "description": param.description}
    return param.schema


def _carried(body: Schema, has_parameters: bool, place: Place) -> Schema:
    """Return the keywords of the body that still hold when parameters stand beside its members."""
    own = ("type", "properties", "required", "additionalProperties", "title", "description", "example", "examples")
    rest = {key: value for key, value in body.items() if key not in own}
    if not has_parameters:
        return rest
    at_least = rest.pop("minProperties", 0)
    if at_least > 1 or "maxProperties" in rest:
        raise ContractError(fault(place, "minProperties above 1 and maxProperties cannot be kept beside parameters"))
    if at_least == 1:
        # Counting members would count the parameters too, so "at least one" is said of the body's own.
        one_of_them: Schema = {"anyOf": [{"required": [name]} for name in body["properties"]]}
        rest["allOf"] = [*rest.get("allOf", []), one_of_them]
    return rest
