"""What tools/list shows never refuses what the strict schema accepts, and is what every client can take."""

from __future__ import annotations

from collections.abc import Iterator

from jsonschema_rs import canonical, canonicalize

from codegen.advertise import advertised_input, advertised_output, strict_arguments
from codegen.ir import Contract, Op
from codegen.load import Source
from codegen.place import Place, fault
from codegen.shape import standalone
from codegen.walk import walk

ROOT_REFUSED = ("oneOf", "anyOf", "allOf", "not", "enum")


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each advertised schema that is narrower than the strict one, or that clients refuse."""
    for op in contract.operations:
        if not op.tool:
            continue
        yield from _covered(op, contract)
        for key, schema in (
            ("inputSchema", advertised_input(op, contract)),
            ("outputSchema", advertised_output(op, contract)),
        ):
            place = Place(op.source.relative_to("contracts").as_posix()) / key
            for word in (word for word in ROOT_REFUSED if word in schema):
                yield fault(place, f"the advertised schema has {word} at its root")
            for node in walk(schema, place):
                if "$ref" in node.schema or "$defs" in node.schema:
                    yield fault(node.place, "the advertised schema still has a reference")
                if node.schema.get("type") == "array" and "items" not in node.schema:
                    yield fault(node.place, "the advertised array has no items; add `items: {...}`")
                if node.within == "properties" and not op.as_printed:
                    for wanted in ("type", "description"):
                        typed = wanted == "type" and "anyOf" in node.schema
                        if wanted not in node.schema and not typed:
                            yield fault(node.place, f"the advertised property has no {wanted}; add `{wanted}: ...`")


def _covered(op: Op, contract: Contract) -> Iterator[str]:
    strict = canonicalize(standalone(strict_arguments(op), contract.defs), validate_formats=True)
    shown = canonicalize(advertised_input(op, contract), validate_formats=True)
    # Only YES is a proof; the library also says UNKNOWN where it finds no value that is refused.
    if shown.covers(strict) != canonical.Containment.YES:
        yield fault(
            str(op.source),
            "the advertised inputSchema may refuse what the strict one accepts; simplify it or mend codegen/shape.py",
        )
