"""Schemas as rows of Markdown tables: a name, a type that links to shared schemas, and a meaning with its limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from codegen.ir import Contract, Schema
from codegen.resolve import root_of


@dataclass(frozen=True)
class Row:
    """One property."""

    name: str
    where: str  # path, query or body; "" where that means nothing
    required: bool
    type: str
    meaning: str


def rows(schema: Schema, contract: Contract, page: str, where: Mapping[str, str] | None = None) -> list[Row]:
    """Return a row for each property of an object. `page` is where shared schemas are described ("": this page)."""
    required = schema.get("required", ())
    return [
        Row(
            name=name,
            where="" if where is None else where.get(name, "body"),
            required=name in required,
            type=type_of(inner, contract, page),
            meaning=_meaning(inner, contract),
        )
        for name, inner in schema.get("properties", {}).items()
    ]


def type_of(schema: Schema, contract: Contract, page: str) -> str:
    """Return a schema's type as Markdown for a table cell."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}]({page}#{name.lower()})"
    if "const" in schema or "enum" in schema:
        values = [schema["const"]] if "const" in schema else schema["enum"]
        return ", ".join(f"`{json.dumps(value)}`" for value in values)
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(type_of(branch, contract, page) for branch in schema[key]))
    kinds = schema.get("type", "any")
    return " or ".join(_kind(kind, schema, contract, page) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _kind(kind: str, schema: Schema, contract: Contract, page: str) -> str:
    if kind == "array":
        return f"array of {type_of(schema.get('items', {}), contract, page)}"
    return f"{kind} ({schema['format']})" if "format" in schema else kind


def _meaning(schema: Schema, contract: Contract) -> str:
    found = root_of(schema, contract.defs)
    text = cell(str(found.get("description", "")))
    notes = [*limits(found)]
    if "default" in found:
        notes.append(f"default `{json.dumps(found['default'], ensure_ascii=False)}`")
    return " ".join(part for part in (text, f"*{'; '.join(notes)}*" if notes else "") if part)


def limits(schema: Schema) -> list[str]:
    """Return what a schema demands beside its type, in words."""
    found = []
    for low, high, unit in (
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " items"),
        ("minProperties", "maxProperties", " members"),
    ):
        text = _between(schema.get(low), schema.get(high))
        if text:
            found.append(text + unit)
    if schema.get("uniqueItems"):
        found.append("no duplicates")
    if "pattern" in schema:
        found.append(f"pattern `{cell(schema['pattern'])}`")
    return found


def _between(low: object, high: object) -> str:
    if low is not None and high is not None:
        return f"{low}" if low == high else f"{low} to {high}"
    if high is not None:
        return f"at most {high}"
    return f"at least {low}" if low else ""


def cell(text: str) -> str:
    """Return text that stays within a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")
