"""Contract and server agree, over REST and MCP, on values that models and validators like to differ about."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from tallystick_contract.documents import input_schema

from tests.live import ERAS, Live
from tests.test_validity import HARD

FACTS: list[tuple[dict[str, Any], bool]] = [
    ({"facts_patch": value}, valid)
    for value, valid in (({}, True), ({"a": None}, True), ([], False), (None, False), ("x", False), (1, False))
]
NOTE = {"summary": "s", "context": "c", "conversation_id": "x"}
NOTES = [
    (NOTE, True),
    (NOTE | {"billable": "true"}, False),
    (NOTE | {"billable": 1}, False),
    (NOTE | {"summary": ""}, False),
    (NOTE | {"summary": None}, False),
    (NOTE | {"summary": "é" * 8000}, True),
    (NOTE | {"summary": "é" * 8001}, False),
    (NOTE | {"conversation_id": "a\n"}, False),
    (NOTE | {"conversation_id": "a/b"}, False),
    (NOTE | {"conversation_id": "😀" * 128}, True),
    (NOTE | {"artifact_url": "https://x\n"}, False),
    (NOTE | {"artifact_url": "HTTPS://x"}, False),
    (NOTE | {"tags": ["a", "b", "a"]}, False),
    (NOTE | {"tags": [str(n) for n in range(11)]}, False),
    (NOTE | {"extra": 1}, False),
]
CASES = [
    *(("recall_memory", "POST", "/v1/memory-recall", value, valid) for value, valid in HARD if isinstance(value, dict)),
    *(("store_context", "POST", "/v1/memories", value, valid) for value, valid in NOTES),
    *(("update_user_facts", "PATCH", "/v1/facts", value, valid) for value, valid in FACTS),
]
# jsonschema's `$` matches before a final newline, as Python's does; the judge at run time is jsonschema-rs.
KNOWN_DIFFERENCES = {
    '{"tags": ["a\\n"]}',
    json.dumps(NOTE | {"artifact_url": "https://x\n"}),
    json.dumps(NOTE | {"conversation_id": "a\n"}),
}

cases = pytest.mark.parametrize(
    ("tool", "method", "path", "value", "valid"), CASES, ids=[f"{c[0]} {str(c[3])[:50]}" for c in CASES]
)


@cases
def test_over_rest(live: Live, tool: str, method: str, path: str, value: Any, valid: bool) -> None:
    body = value["facts_patch"] if tool == "update_user_facts" else value
    with live.rest() as client:
        answer = client.request(method, path, content=json.dumps(body), headers={"content-type": "application/json"})
    assert answer.status_code == (422 if not valid else 201 if tool == "store_context" else 200), answer.text
    if not valid:
        assert answer.json()["error"]["code"] == "INVALID_PARAMS"


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
@cases
async def test_over_mcp(live: Live, era: str, tool: str, method: str, path: str, value: Any, valid: bool) -> None:
    async with live.mcp(era) as client:
        result = await client.call_tool(tool, {"data": value} if tool == "recall_memory" else value)
    assert bool(result.is_error) is not valid, result.structured_content


@cases
def test_a_second_opinion(tool: str, method: str, path: str, value: Any, valid: bool) -> None:
    schema = input_schema(tool)
    second = jsonschema.Draft202012Validator(schema).is_valid(value)
    assert second is (valid or json.dumps(value) in KNOWN_DIFFERENCES)
