"""Where transcripts are found, which client a file is of, and what a hook names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tallystick.capture import CLIENTS, Unreadable, claude_code_hook, recognise

from .told import HOME

EXPECTED = {"claude-code": 3, "codex": 2, "gemini": 3, "opencode": 0, "cursor": 1, "copilot": 1}


@pytest.mark.parametrize("name", CLIENTS)
def test_find_in_a_home(name: str, tmp_path: Path) -> None:
    found = list(CLIENTS[name].find(HOME, {}))
    assert len(found) == EXPECTED[name]
    assert [recognise(path) for path in found] == [CLIENTS[name]] * len(found)
    assert list(CLIENTS[name].find(tmp_path, {})) == []


def test_variables_name_other_places(tmp_path: Path) -> None:
    shutil.copytree(HOME / ".claude", tmp_path / "cc")
    shutil.copytree(HOME / ".codex", tmp_path / "cx")
    (tmp_path / "oc.db").touch()
    nowhere = tmp_path / "nobody"
    assert len(list(CLIENTS["claude-code"].find(nowhere, {"CLAUDE_CONFIG_DIR": str(tmp_path / "cc")}))) == 3
    assert len(list(CLIENTS["codex"].find(tmp_path, {"CODEX_HOME": "~/cx"}))) == 2
    assert list(CLIENTS["opencode"].find(nowhere, {"OPENCODE_DB": str(tmp_path / "oc.db")})) == [tmp_path / "oc.db"]
    assert len(list(CLIENTS["claude-code"].find(HOME, {"CLAUDE_CONFIG_DIR": ""}))) == 3


def test_sub_agents_come_after_their_session() -> None:
    names = [path.name[:8] for path in CLIENTS["claude-code"].find(HOME, {})]
    assert names == ["11111111", "agent-a1", "agent-b2"]


def test_a_compressed_twin_is_found_once(tmp_path: Path) -> None:
    folder = tmp_path / ".codex" / "sessions"
    folder.mkdir(parents=True)
    for name in ("rollout-1.jsonl", "rollout-1.jsonl.zst", "rollout-2.jsonl.zst", "rollout-3.jsonl.tmp"):
        (folder / name).touch()
    assert [p.name for p in CLIENTS["codex"].find(tmp_path, {})] == ["rollout-1.jsonl", "rollout-2.jsonl.zst"]


def test_a_file_of_nobody(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with pytest.raises(Unreadable, match="No such file"):
        recognise(path)
    for text in ("", "\n", "[]\n", "{}\n", '{"a":1}\n', "half", '{"role":"user"}\n'):
        path.write_text(text, "utf-8")
        assert recognise(path) is None, text


def test_hook() -> None:
    call = {
        "session_id": "s",
        "transcript_path": "~/.claude/projects/p/s.jsonl",
        "hook_event_name": "Stop",
        "cwd": "/x",
    }
    taken = claude_code_hook(json.dumps(call).encode(), Path("/home/u"))
    assert (taken.session, taken.event) == ("s", "Stop")
    assert taken.sources == (Path("/home/u/.claude/projects/p/s.jsonl"),)
    call |= {"hook_event_name": "SubagentStop", "agent_transcript_path": "/p/s/subagents/agent-1.jsonl"}
    assert claude_code_hook(json.dumps(call), Path("/h")).sources[1] == Path("/p/s/subagents/agent-1.jsonl")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON"),
        ("[]", "no JSON object"),
        ("{}", "no session_id"),
        ('{"session_id":"s"}', "no transcript_path"),
        ('{"session_id":"s","transcript_path":7}', "no path"),
        ('{"session_id":"s","transcript_path":"/etc/passwd"}', "no absolute path of a .jsonl file: /etc/passwd"),
        ('{"session_id":"s","transcript_path":"s.jsonl"}', "no absolute path"),
    ],
)
def test_hook_refuses(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        claude_code_hook(text, Path("/h"))
