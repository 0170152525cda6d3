"""Tool annotations are complete, justified, and agree with the route."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.ir import Contract
from codegen.load import Source
from codegen.place import fault

NEEDED = ("readOnlyHint", "destructiveHint", "openWorldHint")


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each annotation that is missing, unjustified or contradicted by the method."""
    for op in contract.operations:
        if not op.tool:
            continue
        for key in NEEDED:
            if key not in op.annotations:
                yield fault(str(op.source), f"no annotations.{key}; add `{key}: true` or `{key}: false`")
        for key in op.annotations:
            if not op.justifications.get(key):
                yield fault(str(op.source), f"annotation {key} is not justified; add annotation_justifications.{key}")
        for key in op.justifications:
            if key not in op.annotations:
                yield fault(str(op.source), f"annotation_justifications.{key} justifies nothing; add annotations.{key}")
        if op.method == "GET" and op.writes:
            yield fault(str(op.source), f"{op.name} is a GET and so must have `readOnlyHint: true`")
