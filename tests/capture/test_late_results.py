"""A result that comes after the next prompt is known by its call, in the same run and in a later one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tallystick.capture import CLIENTS, START, Mark, Reason

from .told import Told

OWN, OTHER = "mcp__tallystick__recall_context", "Read"


def claude_code(tool: str) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": "t1", "name": tool, "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "WHAT IT SAID"}
    said = [("user", "ask"), ("assistant", [call]), ("user", "meanwhile"), ("user", [result])]
    parents = [None, "r0", "r1", "r1"]
    return [
        {"type": role, "uuid": f"r{n}", "parentUuid": parents[n], "message": {"content": content}}
        for n, (role, content) in enumerate(said)
    ]


def codex(tool: str) -> list[dict[str, Any]]:
    payloads = [
        ("event_msg", {"type": "user_message", "message": "ask"}),
        ("response_item", {"type": "function_call", "name": tool, "call_id": "t1", "arguments": "{}"}),
        ("event_msg", {"type": "user_message", "message": "meanwhile"}),
        ("response_item", {"type": "function_call_output", "call_id": "t1", "output": "WHAT IT SAID"}),
    ]
    return [{"type": kind, "payload": payload} for kind, payload in payloads]


def copilot(tool: str) -> list[dict[str, Any]]:
    request = {"content": "", "toolRequests": [{"toolCallId": "t1", "name": tool}]}
    data = [
        ("user.message", {"content": "ask"}), ("assistant.message", request), ("user.message", {"content": "meanwhile"}),
        ("tool.execution_complete", {"toolCallId": "t1", "result": {"content": "WHAT IT SAID"}}),
    ]  # fmt: skip
    return [{"type": kind, "id": f"e{n}", "data": one} for n, (kind, one) in enumerate(data)]


@pytest.mark.parametrize("name", ["claude-code", "codex", "copilot"])
@pytest.mark.parametrize("runs", [1, 2])
def test_a_late_result(name: str, runs: int, tmp_path: Path) -> None:
    made = {"claude-code": claude_code, "codex": codex, "copilot": copilot}[name]
    for tool in (OWN, OTHER):
        path = tmp_path / f"{tool}.jsonl"
        lines = [json.dumps(record) + "\n" for record in made(tool)]
        told, mark = Told(), START
        for cut in (3, 4)[2 - runs :]:
            path.write_text("".join(lines[:cut]), "utf-8")
            told.take(CLIENTS[name].read(path, resume=mark))
            mark = told.marks[-1].resume
        texts = [content for messages in told.texts().values() for _, _, content in messages]
        if tool == OWN:
            assert texts == ["ask", f"[tool {OWN}]", "meanwhile"]
            assert told.count(Reason.OWN_TOOL) == 1
        else:
            assert texts[2:] == ["meanwhile", "[result Read] WHAT IT SAID"]
    assert mark != Mark()
