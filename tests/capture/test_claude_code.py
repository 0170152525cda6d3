"""Claude Code's transcripts: see data/README.md for what is odd about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tallystick.capture import CLIENTS, Reason

from .told import HOME, Told

READ = CLIENTS["claude-code"].read
PROJECT = HOME / ".claude" / "projects" / "-work-demo"
SESSION = "11111111-1111-4111-8111-111111111111"


def test_what_a_person_saw() -> None:
    told = Told().take(READ(PROJECT / f"{SESSION}.jsonl"))
    assert told.lines() == [
        "user: Implement the folder picker.\u2028It should remember the last folder.",
        "assistant: I'll look at the dialog code first.",
        'assistant: [tool Read] {"file_path": "/work/demo/dialog.go"}',
        "assistant: [tool mcp__tallystick__recall_context]",
        "tool: [result Read] package dialog",
        "assistant: Using the native dialog.",
        "user: Keep native, but add tests.\n[image]",
        "assistant: Adding tests.",
        "user: Also run the linter.",
        "user: /review dialog.go",
        "system: API Error: overloaded",
        "assistant: Looks good. NUL:\ufffd half a pair:\ufffd bad byte:\ufffd end",
    ]
    assert told.withdrawn == ["u2", "a6"]


def test_header_and_counts() -> None:
    told = Told().take(READ(PROJECT / f"{SESSION}.jsonl"))
    header = told.sessions[SESSION]
    assert (header.title, header.cwd, header.parent) == ("Folder Picker Implementation", "/work/demo", None)
    assert header.created is not None
    assert header.updated is not None
    assert (header.created.isoformat(), header.updated.isoformat()) == (
        "2026-10-15T08:00:00+00:00",
        "2026-10-15T08:03:05+00:00",
    )
    assert told.count(Reason.CHARACTERS) == 3
    assert told.count(Reason.UNKNOWN, "hologram") == 1
    assert told.count(Reason.OWN_TOOL) == 1
    assert told.count(Reason.COMPACTION) == 2
    assert told.count(Reason.SIDECHAIN) == 1
    assert told.count(Reason.NOT_JSON) == 1
    assert told.count(Reason.NOT_A_RECORD) == 1
    assert told.count(Reason.EMPTY) == 0
    message = told.messages[SESSION]["a2"]
    assert message.parent == "a1"
    assert message.timestamp is not None


def test_sub_agents_are_sessions_with_a_parent() -> None:
    told = Told().take(READ(PROJECT / SESSION / "subagents" / "agent-a17.jsonl"))
    header = told.sessions[f"{SESSION}:agent-a17"]
    assert (header.parent, header.title) == (SESSION, "Find dialogs")
    assert told.lines() == ["user: Find every dialog in the code.", "assistant: There are three."]
    old = Told().take(READ(PROJECT / "agent-b2.jsonl"))
    assert old.sessions[f"{SESSION}:agent-b2"].parent == SESSION


def write(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in records), "utf-8")
    return path


def said(uuid: str, parent: str | None, role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"type": role, "uuid": uuid, "parentUuid": parent, "message": {"role": role, "content": text}, **more}


def test_going_back_to_a_branch_that_was_left(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.jsonl",
        said("u1", None, "user", "one"),
        said("a1", "u1", "assistant", "first"),
        said("u2", "a1", "user", "two"),
        said("a2", "u2", "assistant", "second"),
        said("u3", "a1", "user", "instead of two"),
        said("a3", "u3", "assistant", "other"),
        said("u4", "a2", "user", "three, after two"),
    )
    told = Told().take(READ(path))
    assert [m.id for m in told.messages["s"].values()] == ["u1", "a1", "u2", "a2", "u4"]
    assert list(Told().take(READ(path)).messages["s"]) == ["u1", "a1", "u2", "a2", "u4"]


def test_editing_the_first_prompt_starts_over(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.jsonl",
        said("u1", None, "user", "one"),
        said("a1", "u1", "assistant", "first"),
        said("u2", None, "user", "one, better"),
    )
    assert [m.id for m in Told().take(READ(path)).messages["s"].values()] == ["u2"]


def test_following_an_unknown_record_goes_on(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.jsonl", said("u1", "elsewhere", "user", "one"), said("u2", "over-long line", "user", "two")
    )
    assert Told().take(READ(path)).lines() == ["user: one", "user: two"]


def test_own_title_by_summary(tmp_path: Path) -> None:
    summary = {"type": "summary", "summary": "About one", "leafUuid": "u1"}
    path = write(tmp_path / "s.jsonl", said("u1", None, "user", "one"), summary)
    assert Told().take(READ(path)).sessions["s"].title == "About one"


def test_results_and_inputs_are_cut(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "x" * 900}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "y" * 9000}
    path = write(
        tmp_path / "s.jsonl",
        {"type": "assistant", "uuid": "a", "message": {"content": [call]}},
        {"type": "user", "uuid": "r", "parentUuid": "a", "message": {"content": [result]}},
    )
    first, second = Told().take(READ(path)).messages["s"].values()
    assert len(first.content) == len("[tool Bash] ") + 401
    assert second.content.startswith("[result Bash] yyy")
    assert len(second.content) == len("[result Bash] ") + 2001
