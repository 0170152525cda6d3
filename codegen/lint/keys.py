"""Operation keys are codegen's: no tool declares the argument that every write has."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.ir import Contract
from codegen.load import Source
from codegen.place import fault


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each operation that takes an `operation_key` by hand."""
    for op in contract.operations:
        if any("operation_key" in part.input_schema.get("properties", {}) for part in op.parts):
            yield fault(str(op.source), f"codegen gives operation_key to every write; take it out of {op.name}")
