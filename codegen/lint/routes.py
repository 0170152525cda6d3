"""Tools and routes match: each tool has a route that carries just its properties, each route is listed."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.build import path_items
from codegen.ir import Contract, Op, Schema
from codegen.lint.sites import routes
from codegen.load import Source
from codegen.operation import METHODS
from codegen.place import Place, fault
from codegen.request import body_place, body_schema
from codegen.resolve import bundle, root_of, without_notes


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each tool without a route, unlisted route, and route that carries other properties."""
    known = {op.name for op in contract.operations}
    for file in source.under("tools"):
        folder, _, name = file.removesuffix(".yaml").rpartition("/")
        if name not in known:
            group = folder.rpartition("/")[2]
            yield fault(
                Place(file),
                f"tool {name} has no route; add a path item with `operationId: {name}` to contracts/paths/{group}.yaml"
                " and its path to contracts/openapi.yaml",
            )
    listed = {place / method for _, item, place in path_items(source) for method in METHODS if method in item}
    for place, route in routes(source):
        if place not in listed:
            path = place.keys[0]
            escaped = path.replace("~", "~0").replace("/", "~1")
            yield fault(
                place,
                f"{route.get('operationId')} is not listed; add to paths of contracts/openapi.yaml:"
                f' {path}: {{$ref: "{place.file}#/{escaped}"}}',
            )
    for place in sorted(listed):
        op = contract.operation(source.at(place)["operationId"])
        if place.keys[0] != op.path:
            yield fault(place, f"contracts/openapi.yaml lists this path item as {op.path}; use one path in both")
        if op.tool:
            yield from _tool(op, contract, source, place)


def _tool(op: Op, contract: Contract, source: Source, place: Place) -> Iterator[str]:
    wanted = op.input_schema.get("properties", {})
    required = set(op.input_schema.get("required", []))
    carried = {param.name for param in op.parameters}
    for param in op.parameters:
        if param.name in wanted and _limits(param.schema, contract) != _limits(wanted[param.name], contract):
            yield fault(
                place,
                f"parameter {param.name} differs from the tool's property; use `schema: {{$ref: ../{_tail(op)}"
                f"#/inputSchema/properties/{param.name}}}`",
            )
        if param.name in wanted and param.where == "query" and param.required != (param.name in required):
            yield fault(place, f"parameter {param.name}: required differs between {op.source} and the route")
    if op.body == "*":
        schema = root_of(body_schema(source, place), contract.defs)
        carried |= set(schema.get("properties", {}))
        members = {name: inner for name, inner in wanted.items() if name in schema.get("properties", {})}
        if schema.get("properties", {}) != members and set(members) == set(schema.get("properties", {})):
            yield fault(
                body_place(place, op.media[0]),
                f"the body differs from the tool's properties; use `$ref: ../{_tail(op)}#/inputSchema`",
            )
    elif op.body is not None:
        carried.add(op.body)
    for name in sorted(set(wanted) - carried):
        yield fault(
            place,
            f"property {name} of {op.source}#/inputSchema is neither a parameter nor in the body; add it to the route",
        )
    for name in sorted(carried - set(wanted)):
        yield fault(
            place, f"{name} is no property of {op.source}#/inputSchema; add it there or take it out of the route"
        )
    content = source.at(place)["responses"][str(op.status)]["content"]
    for media, inside in content.items():
        here = place / "responses" / op.status / "content" / media / "schema"
        written = source.target(f"../{_tail(op)}#/outputSchema", here)
        answer = without_notes(bundle(source, inside.get("schema", {}), here))
        if answer != without_notes(bundle(source, source.at(written), written)):
            yield fault(here, f"the answer differs from the tool's; use `$ref: ../{_tail(op)}#/outputSchema`")


def _limits(schema: Schema, contract: Contract) -> Schema:
    return {key: value for key, value in root_of(schema, contract.defs).items() if key != "description"}


def _tail(op: Op) -> str:
    return op.source.relative_to("contracts").as_posix()
