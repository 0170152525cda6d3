"""Branches of a tool: what the value of one argument (`branch`) makes of a call.

Where `inputSchema` is a `oneOf`, each branch is a small operation: its own arguments, answer, scopes and handler. Where
it is one plain object, the branches only narrow the scopes that a call needs, and `scopes` holds for a call that leaves
the argument out. Whether a call writes, and so which unit of work it gets, follows from the branch as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from codegen.implied import implied_errors, with_receipt
from codegen.ir import Branch, Op, Schema
from codegen.load import Source
from codegen.named import not_kept, pascal
from codegen.place import ContractError, Place, fault
from codegen.resolve import bundle, root_of, without_notes


def with_branches(source: Source, defs: dict[str, Schema], op: Op, declared: Place) -> Op:
    """Return the operation with the branches that its tool file declares. Raises ContractError with what to add."""
    tool = source.at(declared)
    for key, text in (("branch", "`branch: <argument>`"), ("branches", "`branches: {<value>: {scopes: [...]}}`")):
        if not tool.get(key):
            raise ContractError(fault(declared, f"no {key}; add {text}"))
    silent = [value for value, entry in tool["branches"].items() if "scopes" not in entry]
    if silent:
        raise ContractError(
            *(
                fault(declared / "branches" / value, "a branch says who may call it; add `scopes: [...]`")
                for value in silent
            )
        )
    if "oneOf" in op.input_schema:
        return _split(source, defs, op, declared)
    branches = [
        Branch(value, replace(op, scopes=tuple(entry["scopes"]), branch=None))
        for value, entry in tool["branches"].items()
    ]
    branches.append(Branch(None, op))
    return replace(op, branch=tool["branch"], branches=tuple(branches), scopes=_common(branches))


def _split(source: Source, defs: dict[str, Schema], op: Op, declared: Place) -> Op:
    tool = source.at(declared)
    name, entries = tool["branch"], tool["branches"]
    if op.parameters or op.body != "*":
        raise ContractError(fault(declared, "a tool with branches takes everything in its body; take out parameters"))
    alternatives = _alternatives(op, defs, declared, name, entries)
    messages: list[str] = []
    branches: list[Branch] = []
    for value in entries:
        try:
            branches.append(Branch(value, _part(source, defs, op, declared, value, alternatives[value])))
        except ContractError as error:
            messages += error.messages
    if messages:
        raise ContractError(*messages)
    outputs: list[Schema] = []
    for branch in branches:
        if branch.op.output_schema not in outputs:
            outputs.append(branch.op.output_schema or {})
    output = {key: value for key, value in (op.output_schema or {}).items() if key in ("type", "description")}
    return replace(
        op,
        branch=name,
        branches=tuple(branches),
        scopes=_common(branches),
        writes=any(branch.op.writes for branch in branches),
        output_schema={**output, "anyOf": outputs},
        response_name=None,
        response_kind="json",
        not_kept=tuple(sorted({name for branch in branches for name in branch.op.not_kept})),
    )


def _alternatives(
    op: Op, defs: dict[str, Schema], declared: Place, name: str, entries: dict[str, Any]
) -> dict[str, Schema]:
    found: dict[str, Schema] = {}
    messages: list[str] = []
    for index, written in enumerate(op.input_schema["oneOf"]):
        here = declared / "inputSchema" / "oneOf" / index
        schema = root_of(written, defs)
        value = schema.get("properties", {}).get(name, {}).get("const")
        if not isinstance(value, str) or name not in schema.get("required", ()):
            messages.append(
                fault(
                    here,
                    f"the alternative does not say its {name}; require {name} and add to its properties"
                    f" `{name}: {{type: string, const: ..., description: ...}}`",
                )
            )
        elif value in found:
            messages.append(fault(here, f"{name} {value} has an alternative already; merge the two"))
        elif value not in entries:
            text = "{scopes: [...], readOnly: ..., outputSchema: {...}}"
            messages.append(fault(declared / "branches", f"no branch for {name} {value}; add `{value}: {text}`"))
        elif schema.get("additionalProperties") is not False:
            messages.append(fault(here, "open object; add `additionalProperties: false`"))
        else:
            found[value] = schema
    if not messages:
        messages = [
            fault(
                declared / "branches" / value,
                f"no alternative of inputSchema has {name} {value}; add a closed object with"
                f" `{name}: {{type: string, const: {value}, description: ...}}` to its oneOf",
            )
            for value in entries
            if value not in found
        ]
    if messages:
        raise ContractError(*messages)
    return found


def _part(source: Source, defs: dict[str, Schema], op: Op, declared: Place, value: str, arguments: Schema) -> Op:
    here = declared / "branches" / value
    entry = source.at(here)
    for key, text in (
        ("readOnly", "whether it writes; add `readOnly: true` or `readOnly: false`"),
        ("description", "what it does; add `description: ...`"),
        ("outputSchema", "what it answers; add `outputSchema: {...}`"),
    ):
        if key not in entry:
            raise ContractError(fault(here, f"a branch with arguments of its own says {text}"))
    writes = entry["readOnly"] is not True
    written = bundle(source, entry["outputSchema"], here / "outputSchema")
    output = root_of(written, defs)
    if "properties" not in output:
        raise ContractError(fault(here / "outputSchema", "a branch answers an object with properties; add them"))
    if writes:
        output = with_receipt(output, defs, here / "outputSchema")
    own = f"{op.name}_{value.replace('-', '_')}"
    shared = written["$ref"].rpartition("/")[2] if "$ref" in written and not writes else None
    name = source.at(declared)["branch"]
    return replace(
        op,
        name=own,
        summary=str(entry["description"]).strip(),
        description=str(entry["description"]).strip(),
        scopes=tuple(entry["scopes"]),
        writes=writes,
        errors=tuple(sorted({*op.declared_errors, *implied_errors(public=op.public, writes=writes, body=True)})),
        request_name=f"{pascal(own)}Request",
        response_name=shared or f"{pascal(own)}Response",
        response_kind="model",
        input_schema=arguments,
        output_schema=without_notes(output),
        examples=tuple(example for example in op.examples if example.input.get(name) == value),
        not_kept=not_kept(output),
    )


def _common(branches: list[Branch]) -> tuple[str, ...]:
    """Return the scopes that every branch needs, so that a caller with none of them is refused at once."""
    first, *others = (branch.op.scopes for branch in branches)
    return tuple(scope for scope in first if all(scope in other for other in others))
