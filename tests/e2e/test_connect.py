"""`tallystick connect` as a process, for each client, in a user folder of its own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tallystick_contract.documents import load_tools

from tests.e2e.process import Serving, answer, note, stop_owner, tallystick

FILES = {
    "claude-code": (".claude.json", "mcpServers"),
    "claude-desktop": (".config/Claude/claude_desktop_config.json", "mcpServers"),
    "cursor": (".cursor/mcp.json", "mcpServers"),
    "vscode": (".config/Code/User/mcp.json", "servers"),
    "codex": (".codex/config.toml", "mcp_servers"),
    "gemini": (".gemini/settings.json", "mcpServers"),
}
TRACES = (".claude", ".config/Claude", ".cursor", ".config/Code", ".codex", ".gemini")
ELSEWHERE = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")

JSON_BEFORE = """\
// mine
{
    "theme": "dark", // "x": 1, }
    "SERVERS": {
        "other": { "command": "other" }, /* keep */
    },
}
"""
JSON_AFTER = """\
// mine
{
    "theme": "dark", // "x": 1, }
    "SERVERS": {
        "other": { "command": "other" }, /* keep */
        "tallystick": ENTRY,
    },
}
"""
TOML_BEFORE = '# mine\nmodel = "m"   # keep\n\n[mcp_servers.other]\ncommand = "other"\n\n[tui]\nx = 1\n'
TOML_AFTER = TOML_BEFORE.replace("[tui]", "ENTRY\n[tui]")

ALL = pytest.mark.parametrize("client", FILES)


@pytest.fixture
def user(tmp_path: Path) -> Iterator[Path]:
    """The folder of a user who has every client."""
    path = tmp_path / "u é"
    for trace in TRACES:
        (path / trace).mkdir(parents=True)
    yield path
    stop_owner(path / ".local" / "share" / "tallystick")


def environment(user: Path) -> dict[str, str]:
    return {"HOME": str(user), "USERPROFILE": str(user), "PATH": "", **dict.fromkeys(ELSEWHERE, "")}


def connect(user: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return tallystick(None, "connect", *arguments, env={**environment(user), **env})


def told(user: Path, *arguments: str, **env: str) -> Any:
    done = connect(user, *arguments, "--json", **env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def parsed(path: Path) -> Any:
    text = path.read_text("utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


def entry(user: Path, client: str) -> dict[str, Any]:
    name, servers = FILES[client]
    found: dict[str, Any] = parsed(user / name)[servers]["tallystick"]
    return found


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@ALL
def test_it_prints_what_belongs_where_and_writes_nothing(user: Path, client: str) -> None:
    done = connect(user, client)
    assert done.returncode == 0, done.stderr
    assert str(user / FILES[client][0]) in done.stdout
    assert f"Then: {'Quit' if client == 'claude-desktop' else ''}" in done.stdout
    start, end = ("[mcp_servers", "\n\n") if client == "codex" else ("\n{\n", "\n}\n")
    text = done.stdout[done.stdout.index(start) :]
    text = text[: text.index(end) + len(end)]
    found = (tomllib.loads(text) if client == "codex" else json.loads(text))[FILES[client][1]]["tallystick"]
    assert Path(found["command"]).is_absolute()
    assert found["args"][-3:] == ["mcp", "--agent", client]
    assert tree(user) == {}

    value = told(user, client)
    assert (value["client"], value["installed"], value["files"][0]["state"]) == (client, True, "missing")
    assert value["files"][0]["configuration"] == {FILES[client][1]: {"tallystick": found}}
    assert value["command"] == [found["command"], *found["args"]]
    assert tree(user) == {}


@ALL
@pytest.mark.parametrize("before", [None, ""])
def test_it_writes_a_file_that_is_absent_or_empty(user: Path, client: str, before: str | None) -> None:
    file = user / FILES[client][0]
    if before is not None:
        file.parent.mkdir(exist_ok=True)
        file.write_text(before)
    written = told(user, client, "--write")
    assert written["files"][0]["state"] == "written"
    assert parsed(file) == written["files"][0]["configuration"]
    assert entry(user, client)["args"][-2:] == ["--agent", client]
    kept = tree(user)
    again = connect(user, client, "--write")
    assert again.returncode == 0
    assert again.stdout.startswith("Nothing to change")
    assert tree(user) == kept


@ALL
def test_it_keeps_what_is_in_a_file(user: Path, client: str) -> None:
    name, servers = FILES[client]
    file = user / name
    file.parent.mkdir(exist_ok=True)
    before = TOML_BEFORE if client == "codex" else JSON_BEFORE.replace("SERVERS", servers)
    file.write_bytes(before.replace("\n", "\r\n").encode())
    file.chmod(0o640)
    written = told(user, client, "--write")
    own = written["files"][0]["configuration"][servers]["tallystick"]
    if client == "codex":
        args = ", ".join(json.dumps(one, ensure_ascii=False) for one in own["args"])
        rendered = f'[mcp_servers.tallystick]\ncommand = "{own["command"]}"\nargs = [{args}]\n'
        after = TOML_AFTER.replace("ENTRY", rendered)
    else:
        rendered = json.dumps(own, indent=4, ensure_ascii=False).replace("\n", "\n        ")
        after = JSON_AFTER.replace("SERVERS", servers).replace("ENTRY", rendered)
    assert file.read_bytes().decode() == after.replace("\n", "\r\n")
    backup = Path(written["files"][0]["backup"])
    assert backup.parent == file.parent
    assert backup.read_bytes().decode() == before.replace("\n", "\r\n")
    assert [path.stat().st_mode & 0o777 for path in (file, backup)] == [0o640, 0o640]
    kept = tree(user)
    assert told(user, client, "--write")["files"][0]["state"] == "there"
    assert tree(user) == kept


@ALL
def test_a_broken_file_is_refused_with_the_place(user: Path, client: str) -> None:
    file = user / FILES[client][0]
    file.parent.mkdir(exist_ok=True)
    file.write_text('a = 1\nb = = "secret"\n' if client == "codex" else '{\n  "b": = "secret"\n}\n')
    kept = tree(user)
    done = connect(user, client, "--write")
    assert done.returncode == 1
    assert done.stdout == ""
    assert repr(str(file)) in done.stderr
    assert "line 2, column" in done.stderr
    assert "secret" not in done.stderr
    assert tree(user) == kept
    printed = connect(user, client)
    assert printed.returncode == 0
    assert "line 2, column" in printed.stdout
    assert told(user, client)["files"][0]["state"] == "unreadable"


@ALL
def test_a_read_only_file_is_refused(user: Path, client: str) -> None:
    file = user / FILES[client][0]
    file.parent.mkdir(exist_ok=True)
    file.write_text("")
    file.chmod(0o444)
    done = connect(user, client, "--write")
    assert done.returncode == 1
    assert f"{str(file)!r} is read-only" in done.stderr
    assert tree(user) == {FILES[client][0]: b""}


@pytest.mark.parametrize(("content", "words"), [(b"\xff\xfe{\x00}\x00", "no UTF-8"), (b'{"mcpServers": []}', "line 1")])
def test_a_file_of_another_kind_is_refused(user: Path, content: bytes, words: str) -> None:
    file = user / ".cursor" / "mcp.json"
    file.write_bytes(content)
    done = connect(user, "cursor", "--write")
    assert done.returncode == 1
    assert words in done.stderr
    assert tree(user) == {".cursor/mcp.json": content}


def test_a_link_stays_a_link(user: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "cursor.json"
    real.parent.mkdir()
    real.write_text("{}")
    link = user / ".cursor" / "mcp.json"
    link.symlink_to(real)
    assert connect(user, "cursor", "--write").returncode == 0
    assert link.is_symlink()
    assert "tallystick" in parsed(real)["mcpServers"]
    assert len(tree(real.parent)) == 2


@ALL
def test_a_client_that_is_not_there_is_asked_for(tmp_path: Path, client: str) -> None:
    nobody = tmp_path / "nobody"
    nobody.mkdir()
    done = connect(nobody, client, "--write")
    assert done.returncode == 1
    assert "not found" in done.stderr
    assert "--file" in done.stderr
    assert [*nobody.iterdir()] == []
    printed = connect(nobody, client)
    assert printed.returncode == 0
    assert "was not found" in printed.stdout
    elsewhere = nobody / "some where" / "file"
    assert connect(nobody, client, "--write", "--file", str(elsewhere)).returncode == 0
    assert b"tallystick" in elsewhere.read_bytes()
    assert len(tree(nobody)) == 1


def test_the_hooks_of_claude_code(user: Path) -> None:
    assert "SessionEnd" in connect(user, "claude-code").stdout
    assert "Not written: the hooks" in connect(user, "claude-code", "--write").stdout
    settings = user / ".claude" / "settings.json"
    assert not settings.exists()
    settings.write_text('{\n  "model": "m"\n}\n')
    done = told(user, "claude-code", "--write", "--hook")
    assert [part["state"] for part in done["files"]] == ["there", "written"]
    hooks = parsed(settings)["hooks"]
    assert set(hooks) == {"Stop", "SubagentStop", "SessionEnd", "PreCompact"}
    assert parsed(settings)["model"] == "m"
    kept = tree(user)
    assert connect(user, "claude-code", "--write", "--hook").stdout.count("Nothing to change") == 2
    assert tree(user) == kept

    call = {"session_id": "s", "transcript_path": str(user / "none.jsonl"), "hook_event_name": "Stop"}
    command = shlex.split(hooks["Stop"][0]["hooks"][0]["command"])
    environ = {**os.environ, **environment(user)}
    ran = subprocess.run(command, input=json.dumps(call).encode(), env=environ, capture_output=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


@pytest.mark.parametrize(("content", "mode"), [("{", 0o600), ("{}", 0o400)])
def test_neither_file_is_written_where_one_cannot_be(user: Path, content: str, mode: int) -> None:
    settings = user / ".claude" / "settings.json"
    settings.write_text(content)
    settings.chmod(mode)
    assert connect(user, "claude-code", "--write", "--hook").returncode == 1
    assert tree(user) == {".claude/settings.json": content.encode()}


def test_the_command_of_claude_code_itself(user: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cc"
    value = told(user, "claude-code", "--url", "https://memory.example", CLAUDE_CONFIG_DIR=str(folder))
    words = shlex.split(value["add_command"])
    assert words[: words.index("--")] == [
        "claude", "mcp", "add", "--scope", "user", "tallystick",
        "--env", "TALLYSTICK_API_KEY=${TALLYSTICK_API_KEY}",
    ]  # fmt: skip
    assert words[words.index("--") + 1 :] == value["command"]
    assert value["files"][0]["path"] == str(folder / ".claude.json")
    assert "--env" not in told(user, "claude-code")["add_command"]


def test_the_home_is_named_where_a_client_would_not_find_it(user: Path, tmp_path: Path) -> None:
    assert "--home" not in told(user, "cursor")["command"]
    assert "--home" not in told(user, "cursor", "--home", "~/.local/share/tallystick")["command"]
    other = str(tmp_path / "other")
    assert told(user, "cursor", "--home", other)["command"][-2:] == ["--home", other]
    assert told(user, "cursor", TALLYSTICK_HOME=other)["command"][-2:] == ["--home", other]
    assert told(user, "cursor", XDG_DATA_HOME=other)["command"][-2:] == ["--home", f"{other}/tallystick"]
    hooks = told(user, "claude-code", "--home", other)["files"][1]["configuration"]["hooks"]
    assert shlex.split(hooks["Stop"][0]["hooks"][0]["command"])[-2:] == ["--home", other]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("cursor", "--write", "--hook"), "claude-code"),
        (("claude-code", "--hook"), "--write"),
        (("claude-code", "--write", "--hook", "--url", "https://x"), "--url"),
        (("cursor", "--url", "memory.example"), "https://"),
        (("cursor", "--home", "relative"), "relative"),
        (("cursor", "--write", "--file", "~nobody-of-that-name/x"), "nobody-of-that-name"),
    ],
)
def test_what_does_not_go_together_is_refused(user: Path, arguments: tuple[str, ...], words: str) -> None:
    done = connect(user, *arguments)
    assert done.returncode == 1
    assert done.stderr.startswith("tallystick: ")
    assert words in done.stderr
    assert tree(user) == {}


@pytest.mark.anyio
async def test_the_server_starts_as_printed_and_as_written(user: Path) -> None:
    printed = told(user, "vscode")["files"][0]["configuration"]["servers"]["tallystick"]
    await agent_of(printed, {"HOME": str(user)}, "vscode")
    assert connect(user, "codex", "--write").returncode == 0
    await agent_of(entry(user, "codex"), {"HOME": str(user)}, "codex")


@pytest.mark.anyio
@ALL
async def test_a_remote_server_gets_its_key_by_reference(user: Path, server: Serving, client: str) -> None:
    key = answer(server.home, "keys", "create", "--agent", f"remote-{client}")["key"]
    done = connect(user, client, "--write", "--url", server.url, TALLYSTICK_API_KEY=key)
    assert done.returncode == 0
    assert "TALLYSTICK_API_KEY" in done.stdout
    assert key not in done.stdout + done.stderr
    assert all(key.encode() not in content for content in tree(user).values())

    found = entry(user, client)
    handed = dict.fromkeys(found.get("env_vars", ()), key)
    for name, reference in found.get("env", {}).items():
        assert reference.removeprefix("${").removeprefix("env:") == "TALLYSTICK_API_KEY}"
        handed[name] = key
    assert bool(handed) is (client != "claude-desktop")
    # Claude Desktop has no references: what the user puts there is kept.
    await agent_of(found, {"HOME": str(user), "TALLYSTICK_API_KEY": key, **handed}, f"remote-{client}")

    assert connect(user, client, "--write").returncode == 0
    assert "env" not in entry(user, client)


async def agent_of(found: dict[str, Any], environ: dict[str, str], agent: str) -> None:
    """Start an entry with the official client, list its tools and see for whom it speaks."""
    command = StdioServerParameters(command=found["command"], args=found["args"], env=environ)
    async with Client(command) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {tool["name"] for tool in load_tools()}
        stored = await client.call_tool("store_context", dict(note()))
        assert stored.structured_content is not None
        memory = await client.call_tool("get_memory_detail", {"memory_id": stored.structured_content["memory_id"]})
        assert memory.structured_content is not None
        assert memory.structured_content["agent"] == agent
