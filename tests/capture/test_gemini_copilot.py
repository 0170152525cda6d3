"""The transcripts of Gemini CLI and Copilot CLI: see data/README.md for what is odd about them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tallystick.capture import CLIENTS, Reason, Unreadable

from .told import HOME, Told

GEMINI, COPILOT = CLIENTS["gemini"].read, CLIENTS["copilot"].read
CHATS = HOME / ".gemini" / "tmp" / "5f2c" / "chats"
SESSION = "44444444-4444-4444-8444-444444444444"
EVENTS = next((HOME / ".copilot").rglob("events.jsonl"))


def test_gemini_folds_its_log() -> None:
    told = Told().take(GEMINI(next(CHATS.glob("*.jsonl"))))
    assert told.lines() == [
        "user: explain @a.ts",
        "assistant: It exports a class A.",
        "user: add a test",
        "system: [error] quota exceeded",
    ]
    assert told.withdrawn == ["g3", "g4"]
    assert told.new == 7  # g2 came twice, its first two writings as one
    header = told.sessions[SESSION]
    assert (header.title, header.cwd) == ("Class A and its test", "/work/ts")


def test_gemini_counts() -> None:
    told = Told().take(GEMINI(next(CHATS.glob("*.jsonl"))))
    assert told.count(Reason.REPEATED) == 1
    assert told.count(Reason.INJECTED) == 1
    assert told.count(Reason.LOST_REWIND) == 1
    assert told.count(Reason.UNKNOWN) == 1
    assert told.count(Reason.HOUSEKEEPING, "info") == 1


def test_gemini_tool_calls_and_sub_agents(tmp_path: Path) -> None:
    text = next(CHATS.glob("*.jsonl")).read_text("utf-8")
    path = tmp_path / "session-x.jsonl"
    path.write_text("\n".join(text.split("\n")[:5]) + "\n", "utf-8")
    told = Told().take(GEMINI(path))
    assert told.messages[SESSION]["g2"].content == (
        'It exports a class.\n[tool read_file] {"file_path": "a.ts"}\n[result read_file] export class A {}'
    )
    child = Told().take(GEMINI(CHATS / SESSION / "sub1.jsonl"))
    assert child.sessions["sub1"].parent == SESSION


def test_gemini_older_document(tmp_path: Path) -> None:
    told = Told().take(GEMINI(next(CHATS.glob("*.json"))))
    assert told.lines("55555555-5555-4555-8555-555555555555") == ["user: old question", "assistant: old answer"]
    other = tmp_path / "session-y.json"
    other.write_text("{}", "utf-8")
    with pytest.raises(Unreadable, match="no sessionId"):
        list(GEMINI(other))


def test_copilot() -> None:
    told = Told().take(COPILOT(EVENTS))
    assert told.lines() == [
        "user: Fix the flaky test",
        'assistant: Looking.\n[tool bash] {"command": "npm test"}',
        "tool: [result bash] 1 failed",
        "user: Skip it instead",
        "system: [error] rate limited",
    ]
    assert told.withdrawn == ["e8", "e9"]
    header = told.sessions["66666666-6666-4666-8666-666666666666"]
    assert (header.cwd, header.title) == ("/work/web", "Fix the flaky test")
    assert told.count(Reason.SIDECHAIN) == 1
    assert told.count(Reason.UNKNOWN, "telepathy.started") == 1
