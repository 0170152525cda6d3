"""Error codes: every code that an operation may answer is in the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.implied import implied_errors
from codegen.ir import Contract
from codegen.load import Source
from codegen.place import fault


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each code that is not in the catalogue, or declared though it is implied."""
    for op in contract.operations:
        for code in op.declared_errors:
            if code not in contract.errors:
                yield fault(
                    str(op.source), f"{op.name} declares {code}, which is not in contracts/errors.yaml; add it there"
                )
    implied = sorted({*implied_errors(public=False, writes=True, body=True)})
    for code in implied:
        if code not in contract.errors:
            yield fault("contracts/errors.yaml", f"no {code}, which operations answer by themselves; add it")
