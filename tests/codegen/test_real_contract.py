"""The contract of the product: what documentation prints is served, and models carry every example unchanged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tallystick_contract.documents import input_schema, load_openapi, load_tools, output_schema
from tallystick_contract.operations import OPERATIONS, Operation

from codegen.__main__ import ROOT, main
from codegen.generate import read_contract
from codegen.ir import Contract
from codegen.shape import body_of

PRINTED: dict[str, Any] = json.loads((Path(__file__).parent / "printed" / "recall_memory.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def contract() -> Contract:
    return read_contract(ROOT / "contracts")


def _without_cursor(schema: dict[str, Any]) -> dict[str, Any]:
    assert set(schema["properties"]["cursor"]) == {"type", "description", "maxLength"}
    return {**schema, "properties": {name: value for name, value in schema["properties"].items() if name != "cursor"}}


def test_generated_files_are_those_of_the_contract() -> None:
    assert main(["--check"]) == 0


def test_recall_memory_is_served_as_printed_plus_cursor(contract: Contract) -> None:
    tool = next(tool for tool in load_tools() if tool["name"] == "recall_memory")
    arguments = tool["inputSchema"]
    arguments = {**arguments, "properties": {"data": _without_cursor(arguments["properties"]["data"])}}
    assert arguments == PRINTED["arguments_schema"]
    assert tool["outputSchema"] == PRINTED["output_schema"]
    assert tool["annotations"] == PRINTED["annotations"]
    body = body_of(contract.operation("recall_memory"))
    assert body is not None
    assert _without_cursor(body) == PRINTED["body_schema"]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_models_carry_every_example_unchanged(operation: Operation, contract: Contract) -> None:
    for example in contract.operation(operation.name).examples:
        if example.error is None:
            request = operation.request.model_validate(example.input)
            assert request.model_dump(exclude_unset=True) == example.input
        if example.output is not None and operation.response is not None:
            response = operation.response.model_validate(example.output)
            assert response.model_dump(exclude_unset=True) == example.output


def test_schemas_stand_alone() -> None:
    for operation in OPERATIONS:
        schemas = [input_schema(operation.name)]
        if operation.response is not None:
            schemas.append(output_schema(operation.name))
        for schema in schemas:
            named = {name.rpartition("/")[2] for name in _refs(schema)}
            assert named == set(schema.get("$defs", {}))


def test_every_operation_is_documented_with_its_errors(contract: Contract) -> None:
    paths = load_openapi()["paths"]
    for op in contract.operations:
        documented = paths[op.path][op.method.lower()]["responses"]
        statuses = {contract.errors[code].status for code in op.errors}
        assert set(documented) == {str(op.status), *(str(status) for status in statuses)}


def _refs(node: Any) -> set[str]:
    if isinstance(node, list):
        return set().union(*(_refs(inner) for inner in node))
    if not isinstance(node, dict):
        return set()
    own = {node["$ref"]} if isinstance(node.get("$ref"), str) else set()
    return own.union(*(_refs(inner) for inner in node.values()))
