"""Every $ref leads somewhere."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.ir import Json
from codegen.load import Source
from codegen.place import ContractError, Place, fault

DATA = ("example", "examples", "x-examples", "default", "enum", "const")


def check(source: Source) -> Iterator[str]:
    """Yield a message for each reference to a file or node that is not there, or out of the contract."""
    for file, document in source.files.items():
        yield from _refs(source, document, Place(file))


def _refs(source: Source, node: Json, place: Place) -> Iterator[str]:
    if isinstance(node, list):
        for index, inner in enumerate(node):
            yield from _refs(source, inner, place / index)
    elif isinstance(node, dict):
        ref = node.get("$ref")
        if isinstance(ref, str):
            if "://" in ref:
                yield fault(place, f'$ref "{ref}" leads out of the contract; copy the schema into contracts/schemas/')
            else:
                try:
                    source.target(ref, place)
                except ContractError as error:
                    yield from error.messages
        for key, inner in node.items():
            if key not in DATA:
                yield from _refs(source, inner, place / key)
