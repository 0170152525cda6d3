"""Where each client keeps its configuration, on every system."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from tallystick.connect import CLIENTS, claude_code_settings

LINUX = ("linux", PurePosixPath("/home/u"))
MACOS = ("darwin", PurePosixPath("/Users/u"))
WINDOWS = ("win32", PureWindowsPath(r"C:\Users\u"))
SUPPORT = "/Users/u/Library/Application Support"
ROAMING = r"C:\Users\u\AppData\Roaming"


@pytest.mark.parametrize(
    ("name", "linux", "macos", "windows"),
    [
        ("claude-code", "/home/u/.claude.json", "/Users/u/.claude.json", r"C:\Users\u\.claude.json"),
        (
            "claude-desktop",
            "/home/u/.config/Claude/claude_desktop_config.json",
            f"{SUPPORT}/Claude/claude_desktop_config.json",
            rf"{ROAMING}\Claude\claude_desktop_config.json",
        ),
        ("cursor", "/home/u/.cursor/mcp.json", "/Users/u/.cursor/mcp.json", r"C:\Users\u\.cursor\mcp.json"),
        (
            "vscode",
            "/home/u/.config/Code/User/mcp.json",
            f"{SUPPORT}/Code/User/mcp.json",
            rf"{ROAMING}\Code\User\mcp.json",
        ),
        ("codex", "/home/u/.codex/config.toml", "/Users/u/.codex/config.toml", r"C:\Users\u\.codex\config.toml"),
        (
            "gemini",
            "/home/u/.gemini/settings.json",
            "/Users/u/.gemini/settings.json",
            r"C:\Users\u\.gemini\settings.json",
        ),
    ],
)
def test_the_file_of_a_user(name: str, linux: str, macos: str, windows: str) -> None:
    for (system, home), file in ((LINUX, linux), (MACOS, macos), (WINDOWS, windows)):
        assert str(CLIENTS[name].places(system, home, {})[-1].file) == file


@pytest.mark.parametrize(
    ("name", "system", "variable", "value", "file"),
    [
        ("claude-code", LINUX, "CLAUDE_CONFIG_DIR", "/x/cc", "/x/cc/.claude.json"),
        ("claude-code", LINUX, "CLAUDE_CONFIG_DIR", "~/cc", "/home/u/cc/.claude.json"),
        ("claude-code", LINUX, "CLAUDE_CONFIG_DIR", "", "/home/u/.claude.json"),
        ("codex", WINDOWS, "CODEX_HOME", r"D:\cx", r"D:\cx\config.toml"),
        ("gemini", MACOS, "GEMINI_CLI_HOME", "/x", "/x/.gemini/settings.json"),
        ("vscode", LINUX, "XDG_CONFIG_HOME", "/x", "/x/Code/User/mcp.json"),
        ("vscode", MACOS, "XDG_CONFIG_HOME", "/x", f"{SUPPORT}/Code/User/mcp.json"),
        ("vscode", WINDOWS, "APPDATA", r"D:\roaming", r"D:\roaming\Code\User\mcp.json"),
    ],
)
def test_variables_name_other_places(
    name: str, system: tuple[str, PurePosixPath], variable: str, value: str, file: str
) -> None:
    assert str(CLIENTS[name].places(*system, {variable: value})[-1].file) == file


def test_settings_of_claude_code() -> None:
    assert str(claude_code_settings(LINUX[1], {})) == "/home/u/.claude/settings.json"
    assert str(claude_code_settings(WINDOWS[1], {"CLAUDE_CONFIG_DIR": r"D:\cc"})) == r"D:\cc\settings.json"


def test_packaged_claude_desktop_sees_a_folder_of_its_own() -> None:
    package = r"D:\local\Packages\Claude_pzs8sxrjxfjjc"
    first, second = CLIENTS["claude-desktop"].places(*WINDOWS, {"LOCALAPPDATA": r"D:\local"})
    assert str(first.file) == rf"{package}\LocalCache\Roaming\Claude\claude_desktop_config.json"
    assert [str(trace) for trace in first.traces] == [package]
    assert str(second.file).startswith(ROAMING)


def test_an_installed_client_is_found_by_what_it_left_or_by_its_command(tmp_path: Path) -> None:
    desktop, cursor, claude = CLIENTS["claude-desktop"], CLIENTS["cursor"], CLIENTS["claude-code"]
    assert cursor.find("linux", tmp_path, {"PATH": ""}) == (tmp_path / ".cursor" / "mcp.json", False)
    (tmp_path / ".config" / "Cursor").mkdir(parents=True)
    assert cursor.find("linux", tmp_path, {"PATH": ""}) == (tmp_path / ".cursor" / "mcp.json", True)

    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.touch(mode=0o755)
    assert claude.find("linux", tmp_path, {"PATH": str(program.parent)}) == (tmp_path / ".claude.json", True)

    roaming = tmp_path / "AppData" / "Roaming" / "Claude"
    roaming.mkdir(parents=True)
    assert desktop.find("win32", tmp_path, {"PATH": ""})[0].parent == roaming
    package = tmp_path / "AppData" / "Local" / "Packages" / "Claude_pzs8sxrjxfjjc"
    package.mkdir(parents=True)
    assert desktop.find("win32", tmp_path, {"PATH": ""})[0].is_relative_to(package)
