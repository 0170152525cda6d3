"""Branches agree with what stands around them: schemas, annotations, scopes, handler names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codegen.ir import Contract, Op
from codegen.load import Source
from codegen.place import Place, fault
from codegen.resolve import bundle, without_notes


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each branch that contradicts its tool or another operation."""
    taken = {op.name for op in contract.operations}
    for op in contract.operations:
        if op.branches:
            place = Place(op.source.relative_to("contracts").as_posix())
            yield from (_split(op, source, place, taken) if op.split else _narrowing(op, source, place))


def _split(op: Op, source: Source, place: Place, taken: set[str]) -> Iterator[str]:
    tool = source.at(place)
    if "scopes" in tool:
        yield fault(place, "each branch says its scopes; take `scopes` out")
    for branch in op.branches:
        if not re.fullmatch(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*", str(branch.value)):
            yield fault(place / "branches" / str(branch.value), "a value is in lower case; it names a handler method")
        if branch.op.name in taken:
            yield fault(
                place / "branches" / str(branch.value),
                f"its handler would be {branch.op.name}, which is an operation; rename one of the two",
            )
    said = op.annotations.get("readOnlyHint") is True
    if said is op.writes:
        text = "a branch writes" if op.writes else "every branch only reads"
        yield fault(place / "annotations", f"{text}; write `readOnlyHint: {str(not op.writes).lower()}`")
    # The root lists what the branches say, so that a route and a reader of the file find one schema.
    here = place / "outputSchema"
    listed = [without_notes(bundle(source, one, here)) for one in tool["outputSchema"].get("anyOf", ())]
    wanted = []
    for value, entry in tool["branches"].items():
        inside = place / "branches" / value / "outputSchema"
        schema = without_notes(bundle(source, entry["outputSchema"], inside))
        if schema not in wanted:
            wanted.append(schema)
    if listed != wanted:
        refs = ", ".join(f'{{$ref: "#/branches/{value}/outputSchema"}}' for value in tool["branches"])
        yield fault(here, f"the answer is that of one of the branches; write `anyOf: [{refs}]`, equal ones once")


def _narrowing(op: Op, source: Source, place: Place) -> Iterator[str]:
    tool = source.at(place)
    listed = op.input_schema.get("properties", {}).get(str(op.branch), {}).get("enum")
    values = list(tool["branches"])
    if listed != values:
        yield fault(
            place / "branches",
            f"the values are not those of {op.branch}; write `{op.branch}: {{enum: [{', '.join(values)}]}}` in"
            " inputSchema, or the branches of its enum in the same order",
        )
    if op.branch in op.input_schema.get("required", ()):
        yield fault(
            place / "inputSchema" / "required", f"{op.branch} narrows the scopes and may be left out; take it out"
        )
    for value, entry in tool["branches"].items():
        for key in sorted(set(entry) - {"scopes", "description"}):
            yield fault(
                place / "branches" / value,
                f"inputSchema has no oneOf, so that a branch only narrows scopes; take {key} out",
            )
        more = [scope for scope in entry["scopes"] if scope not in tool.get("scopes", ())]
        if more:
            yield fault(place / "branches" / value, f"{more[0]} is none of the tool's scopes; add it to `scopes`")
