"""Whether a value is what its strict JSON Schema asks for, and if not, a message a person can act on."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import jsonschema_rs
from tallystick_contract.errors import Code

from .problem import Problem

SHOWN = 8  # a caller mends a few faults at a time; an endless list helps nobody


class Schema:
    """A JSON Schema (2020-12, self-contained) compiled once.

    `jsonschema-rs` is the only judge of validity; the models behind it carry types and defaults.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.document = schema
        # The mask keeps values, which may be secret or a megabyte long, out of messages.
        self._validator = jsonschema_rs.Draft202012Validator(dict(schema), validate_formats=True, mask="the value")

    def is_valid(self, value: Any) -> bool:
        return self._validator.is_valid(value)

    def check(self, value: Any) -> None:
        """Raise Problem(INVALID_PARAMS) that names each fault by JSON pointer (RFC 6901), what was wanted, and for an
        unknown argument the known ones."""
        if self._validator.is_valid(value):
            return
        raise Problem(Code.INVALID_PARAMS, self.describe(value))

    def describe(self, value: Any) -> str:
        """The faults of `value` in words, one sentence each, the first eight of them."""
        faults = list(dict.fromkeys(self._fault(error) for error in self._validator.iter_errors(value)))
        more = f" And {len(faults) - SHOWN} more." if len(faults) > SHOWN else ""
        return " ".join(faults[:SHOWN]) + more

    def _fault(self, error: jsonschema_rs.ValidationError) -> str:
        pointer = "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in error.instance_path)
        kind = error.kind
        if isinstance(kind, jsonschema_rs.ValidationErrorKind.AdditionalProperties):
            known = sorted(self._at(error.schema_path[:-1]).get("properties", {}))
            return " ".join(_unknown(f"{pointer}/{name}", name, known) for name in kind.unexpected)
        if isinstance(kind, jsonschema_rs.ValidationErrorKind.Required):
            return f"{pointer}/{kind.property} is required."
        message = error.message
        parent = self._at(error.schema_path[:-1])
        if isinstance(kind, jsonschema_rs.ValidationErrorKind.Type) and isinstance(error.instance, str):
            message += ", but a string"
        elif isinstance(kind, jsonschema_rs.ValidationErrorKind.Enum) and "enum" in parent:
            message = f"the value is not one of {', '.join(str(value) for value in parent['enum'])}"
        elif isinstance(kind, jsonschema_rs.ValidationErrorKind.Pattern) and "description" in parent:
            message = f"the value does not have the form that is wanted: {parent['description'].rstrip('.')}"
        elif isinstance(kind, jsonschema_rs.ValidationErrorKind.AnyOf) and _one_of_required(parent):
            return f"{pointer or 'The whole'}: give at least one of {', '.join(_one_of_required(parent))}."
        elif isinstance(kind, jsonschema_rs.ValidationErrorKind.Not) and (
            names := _never_together(parent.get("not", {}))
        ):
            return f"{pointer or 'The whole'}: give only one of {', '.join(names)}."
        elif isinstance(kind, jsonschema_rs.ValidationErrorKind.AnyOf) and (known_values := self._listed(parent)):
            message = f"the value is not one of {', '.join(known_values)}"
        return f"{pointer or 'The whole'}: {message}."

    def _listed(self, schema: Mapping[str, Any]) -> list[str]:
        """Every value that the branches of an anyOf name, where they name nothing but values."""
        found: list[str] = []
        for branch in schema.get("anyOf", ()):
            while "$ref" in branch:
                branch = self._at([*branch["$ref"].removeprefix("#/").split("/")])
            values = branch.get("enum") or ([branch["const"]] if "const" in branch else [])
            if not values:
                return []
            found += map(str, values)
        return found

    def _at(self, path: list[str | int]) -> Mapping[str, Any]:
        node: Any = self.document
        for part in path:
            if part == "$ref":
                for step in node["$ref"].removeprefix("#/").split("/"):
                    node = node[step] if step in node else self.document[step]
            elif "$ref" in node and part not in node:
                node = self._at([*node["$ref"].removeprefix("#/").split("/"), part])
            else:
                node = node[part]
        return node if isinstance(node, Mapping) else {}


def _unknown(pointer: str, name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    known_text = ", ".join(known) if known else "none"
    shown = pointer if len(pointer) <= 120 else pointer[:120] + "…"
    return f"{shown} is not a known argument; known are: {known_text}.{hint}"


def _one_of_required(schema: Mapping[str, Any]) -> list[str]:
    """The names of an anyOf that only asks for one of some members."""
    branches = schema.get("anyOf", ())
    return (
        [name for branch in branches for name in branch.get("required", ())]
        if all(map(_only_required, branches))
        else []
    )


def _never_together(schema: Mapping[str, Any]) -> list[str]:
    """The names of a `not` that only keeps some members from being there together."""
    branches = schema.get("anyOf", (schema,))
    found = [name for branch in branches for name in branch.get("required", ())]
    return list(dict.fromkeys(found)) if all(map(_only_required, branches)) else []


def _only_required(branch: Mapping[str, Any]) -> bool:
    return branch.keys() == {"required"}
