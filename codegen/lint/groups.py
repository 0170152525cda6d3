"""Every operation belongs to a described group, and its files stand in that group's place."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.ir import Contract
from codegen.load import Source
from codegen.place import Place, fault

PAGES = ("readme", "errors", "schemas")  # of the reference, which has one a group beside them


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each unknown or undescribed group and for each file in another group's place."""
    for name, text in contract.groups.items():
        if name.lower() in PAGES:
            yield fault(
                Place("openapi.yaml") / "tags", f"tag {name} has the name of another page of the reference; rename it"
            )
        if not text:
            yield fault(Place("openapi.yaml") / "tags", f"tag {name} has no description; add description")
    for op in contract.operations:
        if op.group not in contract.groups:
            known = ", ".join(contract.groups)
            yield fault(
                str(op.route_source),
                f"{op.name} is tagged {op.group}, which openapi.yaml does not list ({known}); add it to tags",
            )
        if op.tool and op.source.parent.name != op.group:
            yield fault(
                str(op.source),
                f"{op.name} is tagged {op.group}; move the file to contracts/tools/{op.group}/{op.name}.yaml",
            )
