"""Every array says what it holds, every property what type it is."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.ir import Contract
from codegen.lint.sites import nodes
from codegen.load import Source
from codegen.place import fault

_TYPED = ("type", "$ref", "oneOf", "anyOf", "allOf")


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each array without items and each property without type."""
    for _, node in nodes(source):
        if node.schema.get("type") == "array" and "items" not in node.schema:
            yield fault(node.place, "array without items; add `items: {...}`")
        if node.within == "properties" and not any(key in node.schema for key in _TYPED):
            branch = any(key in _BRANCHES for key in node.place.keys)
            if not branch:
                yield fault(node.place, "property without type; add `type: ...`")


_BRANCHES = ("if", "then", "else", "not", "oneOf", "anyOf", "allOf")
