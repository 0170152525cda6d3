"""Codex's rollouts: see data/README.md for what is odd about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import zstandard
from tallystick.capture import CLIENTS, Reason

from .told import HOME, Told

READ = CLIENTS["codex"].read
ROLLOUT = next((HOME / ".codex" / "sessions").rglob("*.jsonl"))
ARCHIVED = next((HOME / ".codex" / "archived_sessions").glob("*.jsonl"))
SESSION = "22222222-2222-4222-8222-222222222222"


def test_what_a_person_saw() -> None:
    told = Told().take(READ(ROLLOUT))
    assert told.lines() == [
        "user: Why does the login fail?",
        'assistant: [tool shell] {"command": ["cat", "auth.log"]}',
        "tool: [result shell] token expired",
        "assistant: [tool mcp__tallystick__recall_memory]",
        "assistant: The token has expired.",
        "user: Refresh the token instead.",
        "assistant: [tool apply_patch] *** Begin Patch *** Update File: auth.py",
        "tool: [result apply_patch] Done!",
        "assistant: Refreshed.",
    ]
    assert len(told.withdrawn) == 2
    header = told.sessions[SESSION]
    assert (header.title, header.cwd) == ("Why does the login fail?", "/work/api")


def test_counts() -> None:
    told = Told().take(READ(ROLLOUT))
    assert told.count(Reason.REPEATED) == 3
    assert told.count(Reason.INJECTED) == 3
    assert told.count(Reason.COMPACTION) == 1
    assert told.count(Reason.OWN_TOOL) == 1
    assert told.count(Reason.UNKNOWN, "teleport") == 1


def test_a_spawned_thread_has_a_parent_and_its_own_head() -> None:
    told = Told().take(READ(ARCHIVED))
    header = told.sessions["33333333-3333-4333-8333-333333333333"]
    assert (header.parent, header.cwd) == (SESSION, "/work/api")
    assert told.lines() == ["user: Review a.py", "assistant: Reviewed."]


def test_compression_changes_nothing(tmp_path: Path) -> None:
    packed = tmp_path / f"{ROLLOUT.name}.zst"
    half = len(ROLLOUT.read_bytes()) // 2
    plain = ROLLOUT.read_bytes()
    packed.write_bytes(zstandard.compress(plain[:half]) + zstandard.compress(plain[half:]))  # two frames
    told, same = Told().take(READ(packed)), Told().take(READ(ROLLOUT))
    assert told.messages == same.messages
    mark = told.marks[-1].resume
    assert Told().take(READ(packed, resume=mark)).messages == Told().take(READ(ROLLOUT, resume=mark)).messages


def test_a_prompt_that_is_said_again_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "rollout-x.jsonl"
    item = '{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"yes"}]}}\n'
    event = '{"type":"event_msg","payload":{"type":"user_message","message":"yes"}}\n'
    path.write_text((item + event) * 3, "utf-8")
    assert Told().take(READ(path)).lines() == ["user: yes"] * 3
    path.write_text(event * 2 + item * 2, "utf-8")
    assert Told().take(READ(path)).lines() == ["user: yes"] * 2


def test_rolling_back_more_than_there_is(tmp_path: Path) -> None:
    path = tmp_path / "rollout-x.jsonl"
    event = '{"type":"event_msg","payload":{"type":"user_message","message":"%s"}}\n'
    back = '{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":9}}\n'
    path.write_text(event % "one" + event % "two" + back + event % "three", "utf-8")
    assert Told().take(READ(path)).lines() == ["user: three"]
    path.write_text(back + event % "three", "utf-8")
    told = Told().take(READ(path))
    assert told.lines() == ["user: three"]
    assert told.count(Reason.LOST_REWIND) == 1


def line(kind: str, **payload: Any) -> str:
    return json.dumps({"type": kind, "payload": payload}) + "\n"


def test_a_picture_is_a_prompt_and_a_turn(tmp_path: Path) -> None:
    picture = [
        {"type": "input_text", "text": "<image name=[Image #1]>"}, {"type": "input_image", "image_url": "data:"},
        {"type": "input_text", "text": "</image>"},
    ]  # fmt: skip
    text = {"type": "input_text", "text": "What is this?"}
    said = [
        line("response_item", type="message", role="user", content=[{"type": "input_text", "text": "Hello"}]),
        line("response_item", type="message", role="user", content=[*picture, text]),
        line("event_msg", type="user_message", message="What is this?", local_images=["/tmp/a.png"]),
        line("response_item", type="message", role="user", content=picture),
        line("event_msg", type="user_message", message="", images=["data:"]),
        line("event_msg", type="agent_message", message="A cat."),
    ]
    path = tmp_path / "rollout-1.jsonl"
    path.write_text("".join(said), "utf-8")
    assert Told().take(READ(path)).lines() == [
        "user: Hello", "user: What is this?\n[image]", "user: [image]", "assistant: A cat.",
    ]  # fmt: skip
    for turns, left in ((1, 2), (2, 1)):
        path.write_text("".join([*said, line("event_msg", type="thread_rolled_back", num_turns=turns)]), "utf-8")
        assert len(Told().take(READ(path)).lines()) == left


def test_a_prompt_of_which_nothing_is_shown_is_a_turn(tmp_path: Path) -> None:
    path = tmp_path / "rollout-1.jsonl"
    hidden = "<system-reminder>x</system-reminder>"
    said = [line("event_msg", type="user_message", message=text) for text in ("one", hidden)]
    path.write_text("".join([*said, line("event_msg", type="thread_rolled_back", num_turns=1)]), "utf-8")
    assert Told().take(READ(path)).lines() == ["user: one"]
