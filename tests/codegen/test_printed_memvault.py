"""The Memvault documentation, as it prints parameters, calls and answers, is in the contract unchanged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tallystick_contract.documents import load_tools

from codegen.__main__ import ROOT
from codegen.generate import read_contract

PRINTED: dict[str, Any] = json.loads((Path(__file__).parent / "printed" / "memvault.json").read_text("utf-8"))
CONTRACT = read_contract(ROOT / "contracts")
MORE = {"memvault_memory_update": {"tags"}}
"""Arguments beyond the printed ones; all optional."""


@pytest.mark.parametrize("name", PRINTED["parameters"])
def test_parameters(name: str) -> None:
    printed = PRINTED["parameters"][name]
    schema = next(tool for tool in load_tools() if tool["name"] == name)["inputSchema"]
    assert set(schema["properties"]) - {"operation_key"} == set(printed) | MORE.get(name, set())
    assert set(schema.get("required", ())) == {key for key, entry in printed.items() if entry.get("required")}
    for key, entry in printed.items():
        for word in set(entry) - {"required"}:
            assert schema["properties"][key][word] == entry[word], f"{key}.{word}"


@pytest.mark.parametrize("call", PRINTED["calls"], ids=lambda call: json.dumps(call["arguments"])[:60])
def test_calls_are_examples_that_succeed(call: dict[str, Any]) -> None:
    examples = CONTRACT.operation(call["name"]).examples
    assert next(example.error for example in examples if example.input == call["arguments"]) is None


@pytest.mark.parametrize("name", PRINTED["answers"])
def test_answers_are_those_of_examples(name: str) -> None:
    given = [example.output for example in CONTRACT.operation(name).examples]
    for answer in PRINTED["answers"][name]:
        assert answer in given


def test_the_failure() -> None:
    call, code = PRINTED["failure"]["call"], PRINTED["failure"]["code"]
    examples = CONTRACT.operation(call["name"]).examples
    assert [example.error for example in examples if example.input == call["arguments"]] == [code]


def test_every_tool_fails_in_the_form_of_its_family() -> None:
    for tool in load_tools():
        if tool["name"].startswith("memvault_"):
            assert tool["_meta"]["tallystick/family"] == "memvault"
            assert sorted(tool["outputSchema"]["properties"]["error"]["properties"]) == ["code", "message"]
