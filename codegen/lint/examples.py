"""Every operation has an example that succeeds."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.ir import Contract
from codegen.load import Source
from codegen.place import fault


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each operation without a successful example, and for example names used twice."""
    for op in contract.operations:
        if not any(example.error is None for example in op.examples):
            key = "examples" if op.tool else "x-examples"
            yield fault(
                str(op.source),
                f"{op.name} has no example that succeeds; add `{key}: [{{name: ..., input: ..., output: ...}}]`",
            )
        for branch in op.branches if op.split else ():
            if not any(example.error is None for example in branch.op.examples):
                yield fault(
                    str(op.source),
                    f"{op.name} has no example of {op.branch} {branch.value} that succeeds; add one to `examples`",
                )
        names = [example.name for example in op.examples]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield fault(str(op.source), f'{op.name} has two examples named "{name}"; rename one')
