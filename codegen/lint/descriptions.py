"""Everything that a model or a reader meets is described."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.ir import Contract
from codegen.lint.sites import nodes
from codegen.load import Source
from codegen.place import Place, fault

_BRANCHES = ("if", "then", "else", "not", "oneOf", "anyOf", "allOf")


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each tool, operation, parameter, shared schema or property without a description.

    A tool with `as_printed: true` may lack some: its schema is served as the documentation of its clients prints it.
    """
    for op in contract.operations:
        for key, text in (("title", op.title), ("description", op.description)):
            if op.tool and not text:
                yield fault(str(op.source), f"tool {op.name} has no {key}; add {key}: ...")
        for key, text in (("summary", op.summary), ("description", op.description)):
            if not op.tool and not text:
                yield fault(str(op.route_source), f"operation {op.name} has no {key}; add {key}: ...")
        if not op.answer:
            yield fault(str(op.route_source), f"the {op.status} response of {op.name} has no description; add one")
        for param in op.parameters:
            if not param.description:
                yield fault(str(op.route_source), f"parameter {param.name} of {op.name} has no description; add one")
    printed = {op.source.as_posix() for op in contract.operations if op.as_printed}
    for site, node in nodes(source):
        if str(Place(node.place.file)) in printed or any(key in _BRANCHES for key in node.place.keys):
            continue
        name = node.place.keys[-1]
        if node.within == "properties" and not node.schema.get("description"):
            yield fault(node.place, f"property {name} has no description; add `description: ...`")
        if site.role == "shared" and not node.within and not node.schema.get("description"):
            yield fault(node.place, f"shared schema {name} has no description; add `description: ...`")
