"""Examples are true: inputs and outputs fit the schemas, errors are ones that the operation answers."""

from __future__ import annotations

from collections.abc import Iterator

from codegen import opinion
from codegen.ir import Contract, Example, Json, Op, Schema
from codegen.lint.sites import nodes
from codegen.load import Source
from codegen.place import fault
from codegen.resolve import bundle, without_notes
from codegen.shape import standalone


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each example, `example` or `default` that its schema refuses."""
    for op in contract.operations:
        for example in op.examples:
            yield from _example(op, example, contract)
    for _, node in nodes(source):
        if "default" not in node.schema and "example" not in node.schema:
            continue
        schema = without_notes(bundle(source, node.schema, node.place))
        for key in ("default", "example"):
            if key in node.schema:
                for reason in refusals(schema, node.schema[key], contract):
                    yield fault(node.place / key, f"does not fit its schema: {reason}")


def _example(op: Op, example: Example, contract: Contract) -> Iterator[str]:
    where = f'example "{example.name}" of {op.name}'
    if example.error is not None:
        if example.error not in op.errors:
            key = "errors" if op.tool else "x-errors"
            yield fault(
                str(op.source), f"{where} fails with {example.error}, which {op.name} does not declare; add it to {key}"
            )
        if example.output is not None:
            yield fault(str(op.source), f"{where} has both output and error; take one out")
    if example.error != "INVALID_PARAMS":
        for reason in refusals(op.input_schema, example.input, contract):
            yield fault(str(op.source), f"{where}: input does not fit inputSchema: {reason}")
    part = next((part for part in op.parts if example in part.examples), op)
    if example.output is not None and part.output_schema is not None:
        for reason in refusals(part.output_schema, example.output, contract):
            yield fault(str(op.source), f"{where}: output does not fit outputSchema: {reason}")


def refusals(schema: Schema, value: Json, contract: Contract) -> Iterator[str]:
    """Yield why the schema refuses the value, each reason with the pointer to the spot."""
    for keys, reason in opinion.refusals(standalone(schema, contract.defs), value):
        yield f"/{'/'.join(keys)}: {reason}"
