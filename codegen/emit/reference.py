"""reference/: the Markdown reference, one page a group, with an index, the shared schemas and the errors."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from typing import Any

from codegen.emit.client import environment
from codegen.emit.client_calls import first_sentence, paragraphs
from codegen.emit.examples import arguments_of, body_of_example, path_of
from codegen.emit.openapi import access
from codegen.emit.reference_tables import Row, cell, limits, rows, type_of
from codegen.ir import Contract, ErrorSpec, Example, Op
from codegen.resolve import root_of
from codegen.shape import flat
from codegen.text import MARK

FOLDER = "reference"
_LONGEST_TEXT = 240
_ONE_LINE = 90


@dataclass(frozen=True)
class Shown:
    """One example, ready to print."""

    name: str
    description: str
    curl: str
    call: str | None  # the params of tools/call
    output: str | None
    error: ErrorSpec | None


@dataclass(frozen=True)
class Way:
    """One branch of a split operation, ready to print."""

    value: str
    op: Op
    description: str
    arguments: list[Row]
    answer: list[Row]


@dataclass(frozen=True)
class Entry:
    """One operation, ready to print."""

    op: Op
    line: str
    description: str
    access: str  # by branch, where that decides; else ""
    ways: list[Way]
    arguments: list[Row]
    answer: list[Row]
    answer_type: str
    examples: list[Shown]
    declared: list[ErrorSpec]
    general: list[str]


def emit(contract: Contract) -> dict[str, str]:
    """Return README.md, errors.md, schemas.md and a page for each group."""
    by_group = {
        group: [_entry(op, contract) for op in contract.operations if op.group == group]
        for group in [*contract.groups, *sorted({op.group for op in contract.operations} - set(contract.groups))]
    }
    values = {
        "mark": MARK,
        "contract": contract,
        "groups": {group: entries for group, entries in by_group.items() if entries},
        "declared_by": {
            code: [op for op in contract.operations if code in op.declared_errors] for code in contract.errors
        },
        "schemas": {name: (schema, rows(schema, contract, "")) for name, schema in contract.defs.items()},
        "type_of": lambda schema: type_of(schema, contract, ""),
    }
    pages = {page: _render(f"reference_{page.lower()}.md.jinja", values) for page in ("README", "errors", "schemas")}
    for group, entries in by_group.items():
        if entries:
            pages[group] = _render("reference_group.md.jinja", {**values, "group": group, "entries": entries})
    return {f"{FOLDER}/{page}.md": text for page, text in sorted(pages.items())}


def _render(template: str, values: dict[str, Any]) -> str:
    templates = environment()
    templates.filters |= {"cell": cell, "limits": limits}
    text = templates.get_template(template).render(values)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r" +\n", "\n", text)).strip() + "\n"


def _entry(op: Op, contract: Contract) -> Entry:
    where = {param.name: param.where for param in op.parameters}
    answer = root_of(op.output_schema, contract.defs) if op.output_schema else {}
    ways = [
        Way(
            value=str(branch.value),
            op=branch.op,
            description=" ".join(paragraphs(branch.op.description)),
            arguments=rows(flat(branch.op.input_schema, contract.defs), contract, "schemas.md", where),
            answer=rows(flat(branch.op.output_schema or {}, contract.defs), contract, "schemas.md"),
        )
        for branch in (op.branches if op.split else ())
    ]
    return Entry(
        op=op,
        line=first_sentence(op.description or op.summary),
        description="\n\n".join(paragraphs(op.description or op.summary)),
        access=access(op) if op.branches else "",
        ways=ways,
        arguments=rows(flat(op.input_schema, contract.defs), contract, "schemas.md", where),
        answer=rows(flat(answer, contract.defs), contract, "schemas.md"),
        answer_type=op.produces.partition(";")[0],
        examples=[_example(op, example, contract) for example in op.examples],
        declared=[contract.errors[code] for code in op.declared_errors],
        general=[code for code in op.errors if code not in op.declared_errors],
    )


def _example(op: Op, example: Example, contract: Contract) -> Shown:
    return Shown(
        name=example.name,
        description=example.description,
        curl=curl(op, example),
        call=pretty({"name": op.name, "arguments": arguments_of(op, example)}) if op.tool else None,
        output=pretty(example.output) if example.output is not None else None,
        error=contract.errors[example.error] if example.error else None,
    )


def curl(op: Op, example: Example) -> str:
    """Return the example as a command, with the server's address and the key in the environment."""
    verb = "" if op.method == "GET" else f"-X {op.method} "
    parts = [f'curl {verb}"$TALLYSTICK_URL{path_of(op, example)}"']
    if not op.public:
        parts.append('-H "Authorization: Bearer $TALLYSTICK_API_KEY"')
    body = body_of_example(op, example)
    if body is not None:
        parts.append(f"-H 'Content-Type: {op.media[0]}'")
        parts.append(f"-d {shlex.quote(pretty(body))}")
    return " \\\n  ".join(parts)


def pretty(value: object) -> str:
    """Return JSON that breaks a line only where it would be long; very long texts are told, not shown."""
    return _laid_out(_told(value), "")


def _laid_out(value: object, indent: str) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= _ONE_LINE or not isinstance(value, dict | list) or not value:
        return line
    inner = f"{indent}  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(name, ensure_ascii=False)}: {_laid_out(one, inner)}" for name, one in value.items()]
        opening, closing = "{}"
    else:
        parts = [_laid_out(one, inner) for one in value]
        opening, closing = "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}{closing}"


def _told(value: object) -> object:
    if isinstance(value, dict):
        return {name: _told(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_told(inner) for inner in value]
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return f"{value[:60]}… ({len(value)} characters)"
    return value
