"""Whether one schema takes every value of another, as jsonschema-rs proves it."""

from __future__ import annotations

from jsonschema_rs import ValidationError, canonical, canonicalize

from codegen.ir import Json, Schema
from codegen.shape import reachable, standalone
from codegen.walk import rebuild

Defs = dict[str, Schema]


def same(one: Json, one_defs: Defs, other: Json, other_defs: Defs) -> bool:
    """Say whether the two are the same text, with all that they refer to."""
    if one != other:
        return False
    return reachable([one], one_defs) == reachable([other], other_defs)


def covers(wide: Schema, wide_defs: Defs, narrow: Schema, narrow_defs: Defs) -> bool:
    """Say whether `wide` is proved to take every value that `narrow` takes; formats count.

    The library also answers that it does not know. That is no proof, so it is False here.
    """
    try:
        taker, given = (
            canonicalize(standalone(schema, defs), validate_formats=True)
            for schema, defs in ((wide, wide_defs), (narrow, narrow_defs))
        )
        return taker.covers(given) == canonical.Containment.YES
    except (canonical.CanonicalizationError, ValidationError):
        return False


def as_read(schema: Json) -> Json:
    """Return an answer's schema as clients read it: what it does not name may be there, several branches may fit."""
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: value
        for key, value in schema.items()
        if not (key in ("additionalProperties", "unevaluatedProperties") and value is False)
    }
    if "oneOf" in kept and "anyOf" not in kept:
        kept["anyOf"] = kept.pop("oneOf")
    return rebuild(kept, as_read)
