"""What the contract refuses, and what it says then."""

from __future__ import annotations

from typing import Any

import pytest
from tallystick.payload import check_text, parse_json
from tallystick.problem import Problem
from tallystick.validity import Schema
from tallystick_contract.documents import input_schema
from tallystick_contract.errors import Code

RECALL = Schema(input_schema("recall_memory"))
STORE = Schema(input_schema("store_context"))

HARD = [
    ({"limit": True}, False),
    ({"limit": "5"}, False),
    ({"limit": 5.0}, True),  # JSON Schema: a number without a fraction is an integer
    ({"limit": 5.5}, False),
    ({"limit": None}, False),
    ({"limit": 0}, False),
    ({"limit": 51}, False),
    ({"tags": ["a", "a"]}, False),
    ({"tags": ["a\n"]}, False),
    ({"tags": ["te%"]}, False),
    ({"tags": "a"}, False),
    ({"query": "😀" * 200}, True),  # lengths are counted in characters, not bytes or UTF-16 units
    ({"query": "😀" * 201}, False),
    ({"query": ""}, True),
    ({"status": "Active"}, False),
    ({"max_tokens": 127}, False),
    ({"data": {}}, False),
    ([], False),
]


@pytest.mark.parametrize(("value", "valid"), HARD, ids=[repr(value)[:40] for value, _ in HARD])
def test_hard_values(value: Any, valid: bool) -> None:
    assert RECALL.is_valid(value) is valid


def test_an_unknown_argument_lists_the_known_ones() -> None:
    with pytest.raises(Problem) as raised:
        RECALL.check({"tag": ["x"]})
    assert raised.value.code is Code.INVALID_PARAMS
    assert raised.value.message == (
        "/tag is not a known argument; known are: cursor, detail, limit, max_tokens, query, status, tags. Did you mean tags?"
    )


def test_each_fault_is_named_by_pointer() -> None:
    text = STORE.describe({"summary": "", "tags": ["ok", "Bad"], "billable": "true"})
    for part in (
        "/context is required",
        "/conversation_id is required",
        "/summary:",
        "/tags/1:",
        '/billable: the value is not of type "boolean", but a string',
    ):
        assert part in text


def test_a_choice_lists_what_there_is() -> None:
    text = Schema(input_schema("create_key")).describe({"agent": "a", "scopes": ["everything"]})
    assert text.startswith("/scopes/0: the value is not one of memory:read, memory:write, ")
    assert text.endswith("admin, all.")


def test_values_are_not_repeated() -> None:
    assert "secret" not in STORE.describe({"summary": 1, "context": ["secret"], "conversation_id": "secret/secret"})


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "x\udfff"])
def test_text_that_is_none(text: str) -> None:
    for value in ({"a": {"b": [text]}}, {text: 1}):
        with pytest.raises(Problem) as raised:
            check_text(value)
        assert raised.value.code is Code.INVALID_PARAMS
        raised.value.message.encode()


def test_nesting() -> None:
    deep: Any = "x"
    for _ in range(64):
        deep = [deep]
    check_text(deep)
    with pytest.raises(Problem, match="64 levels"):
        check_text([deep])


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b'{"a": NaN}', b'{"a": Infinity}', b"[" * 100_000, b"1" * 5000, b'{"a":1}x'],
    ids=repr,
)
def test_bodies_that_are_no_json(body: bytes) -> None:
    with pytest.raises(Problem) as raised:
        parse_json(body)
    assert raised.value.code is Code.INVALID_PARAMS


def test_huge_numbers() -> None:
    with pytest.raises(Problem, match="/n is not a number"):
        check_text(parse_json(b'{"n": 1e999}'))
