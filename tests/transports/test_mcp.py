"""MCP: the tools as the contract cut them, the error form of each family, what models send instead of objects."""

from __future__ import annotations

from typing import Any

import httpx
import jsonschema
import pytest
from mcp.shared.exceptions import MCPError
from tallystick_contract.documents import load_tools

from tests.live import ERAS, Live

pytestmark = pytest.mark.anyio

TOOLS = {
    "recall_context", "search_memories", "get_memory_detail", "store_context", "recall_memory", "get_persona_definition",
    "update_user_facts", "get_help", "memvault_context", "memvault_search", "memvault_memory_update", "memvault_session_read",
    "memvault_session_link", "memvault_tasks", "memvault_batch", "integration_query", "integration_mutate",
}  # fmt: skip
NOTE = {"summary": "s", "context": "c", "conversation_id": "nc-mcp-20260529"}


async def call(
    live: Live, era: str, tool: str, arguments: dict[str, Any], key: str | None = None
) -> tuple[bool, dict[str, Any]]:
    async with live.mcp(era, key) as client:
        result = await client.call_tool(tool, arguments)
    assert result.structured_content is not None
    return bool(result.is_error), result.structured_content


@pytest.mark.parametrize("era", ERAS)
async def test_the_tools_are_listed_verbatim(live: Live, era: str) -> None:
    async with live.mcp(era) as client:
        listed = (await client.list_tools()).tools
    assert {tool.name for tool in listed} == TOOLS
    contract = {tool["name"]: tool for tool in load_tools()}
    for tool in listed:
        assert tool.input_schema == contract[tool.name]["inputSchema"]
        assert tool.output_schema == contract[tool.name]["outputSchema"]
        assert tool.description == contract[tool.name]["description"]


async def test_the_wire_holds_what_the_sdk_would_drop(live: Live) -> None:
    headers = {"authorization": f"Bearer {live.key()}", "accept": "application/json, text/event-stream"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    answer = httpx.post(live.url + "/mcp", json=body, headers=headers).json()
    assert answer["result"]["tools"] == load_tools()


def test_schemas_are_portable() -> None:
    for tool in load_tools():
        assert len(tool["name"]) <= 40
        for name in ("inputSchema", "outputSchema"):
            schema = tool[name]
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert not {"oneOf", "anyOf", "allOf", "not", "enum", "$ref", "$defs"} & schema.keys()
        assert "required" not in tool["outputSchema"]
        assert tool["outputSchema"]["additionalProperties"] is True


async def test_instructions(live: Live) -> None:
    async with live.mcp("legacy") as client:
        assert "recall_context" in (client.instructions or "")


@pytest.mark.parametrize("era", ERAS)
async def test_the_error_form_of_each_family(live: Live, era: str) -> None:
    failed, nexus = await call(live, era, "get_memory_detail", {"memory_id": "mem_unknown"})
    assert failed
    assert nexus.keys() == {"error", "message", "code", "suggestion"}
    assert (nexus["error"], nexus["code"]) == (True, "NOT_FOUND")
    failed, recall = await call(live, era, "recall_memory", {"data": {"limit": 0}})
    assert failed
    assert recall["error"].keys() == {"code", "message", "next_action", "help"}
    assert recall["error"]["code"] == "INVALID_PARAMS"


@pytest.mark.parametrize("era", ERAS)
async def test_unknown_tool(live: Live, era: str) -> None:
    async with live.mcp(era) as client:
        with pytest.raises(MCPError) as raised:
            await client.call_tool("forget_everything", {})
    assert raised.value.code == -32602


async def test_the_printed_call_works_as_printed(live: Live) -> None:
    headers = {"authorization": f"Bearer {live.key()}", "accept": "application/json, text/event-stream"}
    printed = {
        "id": 1, "jsonrpc": "2.0", "method": "tools/call",
        "params": {
            "arguments": {"data": {"limit": 5, "max_tokens": 2048, "query": "restore database", "tags": ["checkpoint"]}},
            "name": "recall_memory",
        },
    }  # fmt: skip
    answer = httpx.post(live.url + "/mcp", json=printed, headers=headers).json()
    assert answer["result"]["structuredContent"] == {"items": [], "truncated": False}
    body = printed["params"]["arguments"]["data"]  # type: ignore[index]
    bare = httpx.post(live.url + "/v1/memory-recall", json=body, headers=headers)
    assert bare.json() == {"items": [], "truncated": False}
    assert httpx.post(live.url + "/v1/memory-recall", json={"data": body}, headers=headers).status_code == 422


@pytest.mark.parametrize(
    ("tool", "arguments", "accepted"),
    [
        ("recall_memory", {"data": '{"query": "restore"}'}, True),
        ("recall_memory", {"data": {"tags": '["checkpoint"]'}}, True),
        ("recall_memory", {"data": {"limit": "5"}}, False),
        ("recall_memory", {"data": {"tags": "checkpoint"}}, False),
        ("recall_memory", {"data": "restore"}, False),
        ("recall_memory", {"data": '["x"]'}, False),
        ("recall_memory", {"data": None}, False),
        ("recall_memory", {"query": "restore"}, False),
        ("recall_memory", {"data": {}, "query": "restore"}, False),
        ("recall_memory", {}, False),
        ("update_user_facts", {"facts_patch": '{"a": 1}'}, True),
        ("update_user_facts", {"facts_patch": "a"}, False),
        ("store_context", NOTE | {"tags": '["a"]'}, True),
        ("store_context", NOTE | {"context": '{"k": 1}'}, True),
        ("store_context", NOTE | {"billable": "true"}, False),
        ("store_context", NOTE | {"operation_key": 5}, False),
        ("recall_context", {"query": "x", "operation_key": "k"}, False),
    ],
    ids=repr,
)
async def test_objects_sent_as_strings(live: Live, tool: str, arguments: dict[str, Any], accepted: bool) -> None:
    failed, answer = await call(live, "legacy", tool, arguments)
    assert failed is not accepted, answer
    if failed:
        assert "INVALID_PARAMS" in str(answer)


async def test_a_string_that_looks_like_json_stays_a_string(live: Live) -> None:
    key = live.key()
    _, made = await call(live, "legacy", "store_context", NOTE | {"context": '{"k": 1}'}, key)
    _, detail = await call(live, "legacy", "get_memory_detail", {"memory_id": made["memory_id"]}, key)
    assert detail["context"] == '{"k": 1}'


async def test_operation_key(live: Live) -> None:
    key = live.key()
    _, first = await call(live, "legacy", "store_context", NOTE | {"operation_key": "k"}, key)
    _, again = await call(live, "2026-07-28", "store_context", NOTE | {"operation_key": "k"}, key)
    assert again["memory_id"] == first["memory_id"]
    assert again["replayed"] is True
    with live.rest(key) as client:  # the same key over the other door
        over_rest = client.post("/v1/memories", json=NOTE, headers={"idempotency-key": "k"}).json()
    assert over_rest["memory_id"] == first["memory_id"]
    failed, conflict = await call(
        live, "legacy", "store_context", NOTE | {"context": "other", "operation_key": "k"}, key
    )
    assert failed
    assert conflict["code"] == "CONFLICT"


@pytest.mark.parametrize("text", ["\\u0000", "\\ud800"])
async def test_lone_surrogates_and_nul(live: Live, text: str) -> None:
    headers = {
        "authorization": f"Bearer {live.key()}",
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
    }
    body = (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall_context","arguments":{"query":"a%sb"}}}'
        % text
    )
    answer = httpx.post(live.url + "/mcp", content=body, headers=headers).json()
    if text == "\\ud800":
        assert (answer["id"], answer["error"]["code"]) == (1, -32602)
    else:
        assert answer["result"]["structuredContent"]["code"] == "INVALID_PARAMS"


@pytest.mark.parametrize(
    ("body", "number", "code"),
    [
        ("{", None, -32700),
        ("[]", None, -32600),
        ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, -32600),
        ('{"jsonrpc":"2.0","id":7}', 7, -32600),
        *(
            (f'{{"jsonrpc":"2.0","id":{odd},"method":"ping"}}', None, -32600)
            for odd in ("1.5", "true", "null", "[]", "{}")
        ),
        ('{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}', "a", -32600),
    ],
)
def test_broken_envelopes_are_answered(live: Live, body: str, number: object, code: int) -> None:
    headers = {"authorization": f"Bearer {live.key()}", "accept": "application/json, text/event-stream"}
    answer = httpx.post(live.url + "/mcp", content=body, headers=headers | {"content-type": "application/json"})
    assert (answer.status_code, answer.json()["id"], answer.json()["error"]["code"]) == (400, number, code)


async def test_tool_sets(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Live(tmp_path_factory.mktemp("sets"), tools="recall") as live:
        async with live.mcp("legacy") as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == {"recall_memory", "get_help"}
            with pytest.raises(MCPError):
                await client.call_tool("recall_context", {"query": "x"})
