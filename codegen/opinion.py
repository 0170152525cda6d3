"""jsonschema's opinion of values and schemas, in the words that messages use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from codegen.ir import Json, Schema

Refusal = tuple[tuple[str, ...], str]  # where in the value, and why


def refusals(schema: Schema, value: Json, others: Iterable[Schema] = ()) -> Iterator[Refusal]:
    """Yield why the schema refuses the value; formats are checked.

    Its references lead into itself or, by `$id`, into `others`; nothing is ever fetched.
    """
    named = [(other["$id"], DRAFT202012.create_resource(other)) for other in others if "$id" in other]
    registry: Registry[Any] = Registry().with_resources(named)
    yield from _sorted(Draft202012Validator(schema, format_checker=FormatChecker(), registry=registry), value)


def schema_refusals(schema: Json) -> Iterator[Refusal]:
    """Yield why this is no JSON Schema 2020-12."""
    yield from _sorted(Draft202012Validator(Draft202012Validator.META_SCHEMA), schema)


def _sorted(validator: Any, value: Json) -> Iterator[Refusal]:
    errors = validator.iter_errors(value)
    yield from sorted({(tuple(str(key) for key in error.absolute_path), str(error.message)) for error in errors})
