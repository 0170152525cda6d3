"""Names: short enough for every client, and of one form."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codegen.ir import Contract
from codegen.load import Source
from codegen.place import fault
from codegen.resolve import shared_schemas

LONGEST = 40
RESERVED = ("ErrorResponse", "ErrorDetail")


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each operation or shared schema whose name will not do."""
    for op in contract.operations:
        if len(op.name) > LONGEST:
            yield fault(
                str(op.source), f"the name {op.name} has {len(op.name)} characters; tools have at most {LONGEST}"
            )
        if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", op.name):
            yield fault(str(op.route_source), f"operationId {op.name} is not of the form verb_noun, in lower case")
    taken = {part.request_name: part.name for op in contract.operations for part in (op, *op.parts)}
    for name, place in shared_schemas(source).items():
        if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name):
            yield fault(place, f"the name {name} is not of the form NounOfTwo; it becomes a class")
        if name in taken:
            yield fault(place, f"the name {name} is that of the request of {taken[name]}; choose another")
        if name in RESERVED:
            yield fault(place, f"the name {name} is codegen's own; choose another")
