"""Limits of bodies stand where there is a body."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.ir import Contract
from codegen.load import Source
from codegen.place import fault


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each operation that limits a body which it does not take."""
    for op in contract.operations:
        if op.max_body is not None and op.body is None:
            yield fault(str(op.route_source), f"{op.name} has no body to limit; take x-max-body out")
