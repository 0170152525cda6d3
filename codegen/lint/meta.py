"""Every file fits the JSON Schema of its kind in contracts/meta/."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.load import Source
from codegen.opinion import refusals
from codegen.place import Place, fault

KINDS = {"tools": "tool", "paths": "paths", "schemas": "schemas"}


def check(source: Source) -> Iterator[str]:
    """Yield a message for each violation. A kind that meta/ has no schema for is not checked."""
    for file, document in source.files.items():
        folder = file.split("/")[0] if "/" in file else ""
        kind = KINDS.get(folder, file.removesuffix(".yaml") if not folder else "")
        if kind not in source.meta:
            continue
        for keys, reason in refusals(source.meta[kind], document, others=source.meta.values()):
            yield fault(Place(file, keys), f"{reason} (contracts/meta/{kind}.schema.yaml says so)")
