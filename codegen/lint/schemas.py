"""Every schema is a JSON Schema 2020-12, in the part of it that models and clients can be made from."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.lint.sites import nodes, sites
from codegen.load import Source
from codegen.opinion import schema_refusals
from codegen.place import Place, fault

REFUSED = {
    "patternProperties": "use propertyNames and additionalProperties",
    "nullable": "leave the property out where it has no value",
    "definitions": "use $defs in contracts/schemas/",
}


def check(source: Source) -> Iterator[str]:
    """Yield a message for each violation of the meta-schema, and for keywords that the generators drop silently."""
    for site in sites(source):
        for keys, reason in schema_refusals(site.schema):
            yield fault(Place(site.place.file, site.place.keys + keys), f"no JSON Schema 2020-12: {reason}")
    for _, node in nodes(source):
        for keyword, instead in REFUSED.items():
            if keyword in node.schema:
                yield fault(node.place, f"{keyword} is not used in contracts; {instead}")
