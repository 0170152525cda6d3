"""help.json: what get_help answers from."""

from __future__ import annotations

import json

from codegen.emit import help as emit_help
from tests.codegen.sample import CONTRACT

HELP = json.loads(emit_help.emit(CONTRACT)["tallystick_contract/help.json"])


def test_tools_and_operations_are_apart():
    assert sorted(HELP["tools"]) == ["patch_all", "save_note"]
    assert sorted(HELP["operations"]) == ["list_notes", "ping"]
    assert sorted(HELP["tools"]["save_note"]) == ["mcp", "rest", "text", "title"]
    assert sorted(HELP["operations"]["ping"]) == ["rest", "text", "title"]


def test_a_request_with_path_and_body():
    (request,) = HELP["tools"]["save_note"]["rest"]["requests"]
    assert list(request) == sorted(request)
    assert (request["method"], request["path"], request["example_path"]) == (
        "PUT",
        "/v1/notes/{note_id}",
        "/v1/notes/a%2Fb",
    )
    assert request["authorization"] == "Bearer <agent_key>"
    assert request["example_body"] == {"from": "it's me"}
    assert "note_id" not in request["body_schema"]["properties"]
    assert request["body_schema"]["required"] == ["from"]
    assert [(one["name"], one["in"], one["required"]) for one in request["parameters"]] == [("note_id", "path", True)]
    assert "Idempotency-Key" in request["headers"]
    assert "$ref" not in json.dumps(request)


def test_a_body_that_is_one_property():
    (request,) = HELP["tools"]["patch_all"]["rest"]["requests"]
    assert request["example_body"] == {"a": None}
    assert request["content_type"] == "application/merge-patch+json"
    assert "patch itself" in request["body_rule"]


def test_a_request_without_body_or_key():
    (request,) = HELP["operations"]["ping"]["rest"]["requests"]
    assert request == {"body_rule": "Send no body.", "method": "GET", "path": "/health"}


def test_a_call_that_works_as_it_is():
    tool = HELP["tools"]["save_note"]["mcp"]
    assert tool["tool"] == "save_note"
    assert tool["annotation_justifications"] == {"readOnlyHint": "It writes."}
    assert sorted(tool["arguments_schema"]["properties"]) == ["data", "operation_key"]
    assert tool["example_call"] == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "save_note", "arguments": {"data": {"note_id": "a/b", "from": "it's me"}}},
    }
    assert tool["example_arguments"] == tool["example_call"]["params"]["arguments"]
    assert "error" in tool["output_schema"]["properties"]


def test_errors_and_topics():
    assert HELP["errors"]["NOT_FOUND"] == {
        "code": "NOT_FOUND",
        "status": 404,
        "retryable": False,
        "message": "NOT_FOUND | happened.",
        "next_action": "Do something.",
        "explanation": "More of it.",
    }
    assert HELP["topics"] == {"workflow": {"title": "How", "text": "So."}}
