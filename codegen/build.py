"""Step 2: make the `Contract` (ir.py) of the parsed files."""

from __future__ import annotations

from typing import Any

from codegen.graphql_documents import documents
from codegen.ir import Contract, ErrorSpec, Op, Schema
from codegen.load import Source
from codegen.operation import METHODS, build_operation
from codegen.place import ContractError, Place, fault
from codegen.resolve import bundle, follow, shared_schemas, without_notes


def build(source: Source) -> Contract:
    """Return the contract with references resolved and everything implied written out.

    Raises ContractError, with all messages found, where the files cannot be read as operations at all; what can be
    read but must not be is left to lint.
    """
    openapi = source.files["openapi.yaml"]
    defs: dict[str, Schema] = {
        name: bundle(source, source.at(place), place) for name, place in shared_schemas(source).items()
    }
    operations: list[Op] = []
    messages: list[str] = []
    for path, item, place in path_items(source):
        for method in METHODS:
            if method in item:
                try:
                    operations.append(build_operation(source, defs, path, method, place / method))
                except ContractError as error:
                    messages.extend(error.messages)
    by_name: dict[str, Op] = {}
    for op in operations:
        if op.name in by_name:
            taken = by_name[op.name].path
            messages.append(fault(str(op.route_source), f"operationId {op.name} is taken by {taken}; choose another"))
        by_name[op.name] = op
    if messages:
        raise ContractError(*messages)
    for part in (part for op in operations for part in op.parts):
        # A write's answer that a shared schema of just that name describes: there is one model, with the receipt.
        if part.response_name in defs and part.writes and part.output_schema is not None:
            defs[part.response_name] = part.output_schema
    return Contract(
        operations=tuple(sorted(operations, key=lambda op: op.name)),
        defs={name: without_notes(schema) for name, schema in defs.items()},
        errors=_errors(source),
        scopes=dict(openapi.get("x-scopes", {})),
        groups={tag["name"]: tag.get("description", "") for tag in openapi.get("tags", [])},
        instructions=openapi.get("x-instructions", "").strip(),
        info=dict(openapi["info"]),
        help=dict(source.files.get("help.yaml", {})),
        linear=documents(source.root / "linear"),
        servers=tuple(openapi.get("servers", ())),
        security_schemes=dict(openapi.get("components", {}).get("securitySchemes", {})),
    )


def path_items(source: Source) -> list[tuple[str, dict[str, Any], Place]]:
    """Return path, path item and the item's place for every path of openapi.yaml, in its order."""
    here = Place("openapi.yaml") / "paths"
    items = []
    for path, node in source.files["openapi.yaml"].get("paths", {}).items():
        item, place = follow(source, node, here / path)
        items.append((path, item, place))
    return items


def _errors(source: Source) -> dict[str, ErrorSpec]:
    specs: dict[str, ErrorSpec] = {}
    messages = []
    for code, entry in sorted(source.files["errors.yaml"].items()):
        missing = [key for key in ("status", "retryable", "message", "next_action", "help") if key not in entry]
        if missing:
            messages.append(fault(Place("errors.yaml") / code, f"no {', '.join(missing)}; add {missing[0]}: ..."))
            continue
        specs[code] = ErrorSpec(
            code=code,
            status=entry["status"],
            retryable=entry["retryable"],
            message=entry["message"].strip(),
            next_action=entry["next_action"].strip(),
            help=entry["help"].strip(),
        )
    if messages:
        raise ContractError(*messages)
    return specs
