"""No anonymous objects: an object inside another has a name, so that it becomes a class of that name."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.ir import Contract
from codegen.lint.sites import nodes
from codegen.load import Source
from codegen.place import fault


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each object with properties that is written inside another schema."""
    for site, node in nodes(source):
        top = node.within == "" or node.within in ("allOf", "oneOf", "anyOf", "if", "then", "else", "not")
        if site.role in ("parameter", "body", "answer"):
            top = False
        if not top and "properties" in node.schema:
            yield fault(
                node.place,
                "anonymous object; name it under $defs in contracts/schemas/ and write `$ref: <file>#/$defs/<Name>`",
            )
