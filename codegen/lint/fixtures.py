"""What examples need exists: every name under `needs` is described in fixtures.yaml, by a call that is valid."""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter

from codegen.ir import Contract
from codegen.lint.validity import refusals
from codegen.load import Source
from codegen.place import Place, fault


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each unknown fixture and each fixture whose call does not fit its operation."""
    fixtures = source.files.get("fixtures.yaml", {})
    for op in contract.operations:
        for example in op.examples:
            for name in example.needs:
                if name not in fixtures:
                    yield fault(
                        str(op.source),
                        f'example "{example.name}" needs {name}, which is not in contracts/fixtures.yaml; add it there',
                    )
    operations = {op.name: op for op in contract.operations}
    for name, fixture in fixtures.items():
        place = Place("fixtures.yaml") / name
        if not fixture.get("description"):
            yield fault(place, "no description; add `description: ...`")
        call = fixture.get("call")
        if call is None:
            continue
        if call not in operations:
            yield fault(place, f"call {call} is no operation; name one")
            continue
        answered = {
            name for part in operations[call].parts for name in (part.output_schema or {}).get("properties", {})
        }
        for text, template in fixture.get("names", {}).items():
            for _, member, _, _ in Formatter().parse(template):
                if member is not None and member not in answered:
                    yield fault(place / "names" / text, f"{call} answers no {member}; name a property of its answer")
        for reason in refusals(operations[call].input_schema, fixture.get("input", {}), contract):
            yield fault(place / "input", f"does not fit {call}: {reason}")
