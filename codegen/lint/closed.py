"""Every object says what else it may hold: nothing (`additionalProperties: false`) or, where it is free, anything."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.ir import Contract
from codegen.lint.sites import nodes
from codegen.load import Source
from codegen.place import fault

_PARTS = ("allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas")


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each object that leaves it open."""
    for _, node in nodes(source):
        is_object = node.schema.get("type") == "object" or "properties" in node.schema
        if not is_object or node.within in _PARTS:
            continue
        extra = node.schema.get("additionalProperties")
        if "properties" in node.schema and extra is not False:
            yield fault(node.place, "open object; add `additionalProperties: false`")
        elif extra is None and not any(part in node.schema for part in _PARTS):
            yield fault(node.place, "a free object says so; add `additionalProperties: true`")
