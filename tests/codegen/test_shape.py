"""Schemas in other shapes, and the proof that what clients are shown refuses nothing that is right."""

from __future__ import annotations

from typing import Any

import pytest

from codegen.advertise import advertised_input
from codegen.generate import read_contract
from codegen.lint import advertised
from codegen.load import load
from codegen.shape import body_of, flat, inlined, reachable, standalone
from tests.codegen.changed import NOTES

TEXT = {"type": "string"}


def _object(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


def test_flat_takes_all_properties_and_requires_what_every_branch_does() -> None:
    one = _object("action", "id", action={"const": "one"}, id=TEXT, size={"type": "integer", "default": 1})
    two = _object("action", "to", action={"const": "two"}, to=TEXT, id={"type": "integer"})
    assert flat({"type": "object", "oneOf": [one, {"$ref": "#/$defs/Two"}]}, {"Two": two}) == {
        "type": "object",
        "properties": {
            "action": {"enum": ["one", "two"]},
            "id": {"anyOf": [TEXT, {"type": "integer"}]},
            "size": {"type": "integer"},  # its default would break a call of the other branch
            "to": TEXT,
        },
        "required": ["action"],
        "additionalProperties": False,
    }


def test_flat_stays_open_where_one_branch_is() -> None:
    assert flat({"type": "object", "anyOf": [_object(a=TEXT), {"type": "object"}]}, {}) == {
        "type": "object",
        "properties": {"a": TEXT},
    }


def test_flat_drops_conditions_and_keeps_their_properties() -> None:
    schema = {**_object("a", a=TEXT), "if": {"required": ["a"]}, "then": {"required": ["b"], "properties": {"b": TEXT}}}
    assert flat(schema, {}) == _object("a", a=TEXT, b=TEXT)


def test_flat_keeps_parts_that_must_all_hold() -> None:
    schema = {"allOf": [_object("a", a=TEXT), _object("b", b=TEXT)], "additionalProperties": False}
    assert flat(schema, {}) == _object("a", "b", a=TEXT, b=TEXT)


def test_inlined_follows_references_and_ends_where_a_schema_holds_itself() -> None:
    tree = {"type": "object", "description": "T.", "properties": {"child": {"$ref": "#/$defs/Tree"}}}
    assert inlined({"$ref": "#/$defs/Tree", "description": "Root."}, {"Tree": tree}) == {
        "type": "object",
        "description": "Root.",
        "properties": {"child": {"type": "object", "additionalProperties": True, "description": "Another Tree."}},
    }


def test_inlined_leaves_data_alone() -> None:
    schema = {
        "type": "object",
        "default": {"$ref": "#/$defs/X"},
        "example": {"oneOf": []},
        "additionalProperties": True,
    }
    assert inlined(schema, {}) == schema


def test_standalone_takes_only_what_it_needs() -> None:
    defs = {"A": {"$ref": "#/$defs/B"}, "B": TEXT, "C": TEXT}
    assert reachable([{"items": {"$ref": "#/$defs/A"}}], defs) == {"A": defs["A"], "B": TEXT}
    assert standalone(TEXT, defs) == TEXT


def test_body_of_leaves_the_url_out() -> None:
    contract = read_contract(NOTES)
    body = body_of(contract.operation("edit_note"))
    assert body is not None
    assert list(body["properties"]) == ["text", "mood"]
    assert "required" not in body
    assert body_of(contract.operation("put_extra")) == {"$ref": "#/$defs/Extra"}
    assert body_of(contract.operation("get_note")) is None
    assert body_of(contract.operation("add_note")) is contract.operation("add_note").input_schema


def test_a_narrower_advertised_schema_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    contract, source = read_contract(NOTES), load(NOTES)

    def narrower(op: Any, contract: Any) -> Any:
        schema = advertised_input(op, contract)
        if op.name == "add_note":
            schema["properties"]["text"] = {**schema["properties"]["text"], "maxLength": 99}
        return schema

    monkeypatch.setattr(advertised, "advertised_input", narrower)
    assert list(advertised.check(contract, source)) == [
        "contracts/tools/notes/add_note.yaml: the advertised inputSchema may refuse what the strict one accepts;"
        " simplify it or mend codegen/shape.py"
    ]
