"""What an entry and the hooks become in a file that has something already."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tallystick.connect import CLIENTS, hook_command
from tallystick.connect.hooks import EVENTS, add_hooks
from tallystick.connect.jsonc import Jsonc
from tallystick.connect.merge import merge

CLAUDE = CLIENTS["claude-code"]
WORDS = ["/x/tallystick", "mcp", "--agent", "claude-code"]
KEY = {"TALLYSTICK_API_KEY": "${TALLYSTICK_API_KEY}"}
LOCAL = {"type": "stdio", "command": WORDS[0], "args": WORDS[1:]}


def merged(old: Any, *, remote: bool = False) -> Any:
    """An entry after it was merged into another one, twice."""
    document = Jsonc(json.dumps({"mcpServers": {"tallystick": old, "other": 1}}, indent=2))
    entry = CLAUDE.entry(WORDS, remote=remote)
    merge(document, CLAUDE.path, entry, CLAUDE.secret)
    once = document.text
    merge(document, CLAUDE.path, entry, CLAUDE.secret)
    assert document.text == once
    assert document.get(("mcpServers", "other")) == 1
    return document.get(CLAUDE.path)


@pytest.mark.parametrize("old", [None, {}, "text", {"command": "/old", "args": ["mcp"]}, {**LOCAL, "args": []}])
def test_the_entry_is_made_or_mended(old: Any) -> None:
    assert merged(old) == LOCAL


def test_what_somebody_added_stays() -> None:
    own = {"timeout": 5, "env": {"A": "b"}}
    assert merged({"command": "/old", **own}) == {**LOCAL, **own}
    assert merged({"command": "/old", **own}, remote=True) == {**LOCAL, "timeout": 5, "env": {"A": "b", **KEY}}


def test_an_entry_over_http_becomes_one_with_a_command() -> None:
    http = {"type": "http", "url": "http://127.0.0.1:8765/mcp", "headers": {"Authorization": "Bearer k"}, "timeout": 5}
    assert merged(http) == {**LOCAL, "timeout": 5}


def test_the_reference_to_a_key_goes_with_the_remote_server_but_a_key_stays() -> None:
    assert merged({**LOCAL, "env": KEY}) == LOCAL
    assert merged({**LOCAL, "env": {**KEY, "A": "b"}}) == {**LOCAL, "env": {"A": "b"}}
    assert merged({**LOCAL, "env": {"TALLYSTICK_API_KEY": "k"}})["env"] == {"TALLYSTICK_API_KEY": "k"}


def test_a_command_for_a_shell() -> None:
    assert hook_command(["/a b/tallystick", "hook"], "linux") == "'/a b/tallystick' hook"
    assert hook_command([r"C:\Users\u\tallystick.exe", "hook"], "win32") == "C:/Users/u/tallystick.exe hook"


def commands(document: Jsonc) -> dict[str, list[str]]:
    return {
        event: [handler["command"] for group in groups for handler in group["hooks"]]
        for event, groups in document.get(("hooks",)).items()
    }


def test_hooks_are_added_once() -> None:
    other = {"matcher": "x", "hooks": [{"type": "command", "command": "other"}]}
    document = Jsonc(json.dumps({"hooks": {"Stop": [other], "PreToolUse": [other]}, "model": "m"}))
    add_hooks(document, "/x/tallystick hook claude-code")
    once = document.text
    add_hooks(document, "/x/tallystick hook claude-code")
    assert document.text == once
    ours = ["/x/tallystick hook claude-code"]
    assert commands(document) == {
        "Stop": ["other", *ours], "PreToolUse": ["other"], "SubagentStop": ours, "PreCompact": ours, "SessionEnd": ours,
    }  # fmt: skip
    assert document.get(("hooks", "Stop", 0)) == other
    assert document.get(("hooks", "SessionEnd", 0, "hooks", 0, "timeout")) == 60


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/old/tallystick hook claude-code", "/x/tallystick hook claude-code"),
        ("'/old é/bin/tallystick' hook claude-code --home '/a b'", "/x/tallystick hook claude-code"),
        ("/usr/bin/python3 -P -m tallystick hook claude-code", "/x/tallystick hook claude-code"),
        ("nohup tallystick hook claude-code", "nohup tallystick hook claude-code"),
        ("tallystick hook claude-code >> ~/log 2>&1", "tallystick hook claude-code >> ~/log 2>&1"),
    ],
)
def test_a_hook_that_is_there_is_brought_up_to_date_unless_it_does_more(old: str, new: str) -> None:
    handler = {"type": "command", "command": old, "timeout": 7}
    document = Jsonc(json.dumps({"hooks": {event: [{"hooks": [handler]}] for event in EVENTS}}))
    add_hooks(document, "/x/tallystick hook claude-code")
    assert commands(document) == {event: [new] for event in EVENTS}
    assert document.get(("hooks", "Stop", 0, "hooks", 0, "timeout")) == 7


def test_a_hook_with_arguments_of_its_own_counts() -> None:
    handler = {"type": "command", "command": "/x/tallystick", "args": ["hook", "claude-code"]}
    text = json.dumps({"hooks": {event: [{"hooks": [handler]}] for event in EVENTS}})
    document = Jsonc(text)
    add_hooks(document, "/x/tallystick hook claude-code")
    assert document.text == text


@pytest.mark.parametrize("hooks", [[], {"Stop": {}}, {"Stop": 3}])
def test_something_else_where_hooks_belong_is_refused(hooks: Any) -> None:
    with pytest.raises(ValueError, match="line 1"):
        add_hooks(Jsonc(json.dumps({"hooks": hooks})), "c")
