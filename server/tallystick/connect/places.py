"""Where each client keeps the configuration of a user, on each system.

System, home and environment are given, so that nothing here reads the real ones and every system can be asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

Environ = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """A file, which need not be there, and what is there where the client is installed: any of it will do."""

    file: PurePath
    traces: tuple[PurePath, ...]


def claude_code(system: str, home: PurePath, environ: Environ) -> tuple[Place, ...]:
    """The user's configuration. It lies beside the folder of the rest, but in it where a variable names the folder."""
    folder = _named(environ, "CLAUDE_CONFIG_DIR", home)
    if folder is not None:
        return (Place(folder / ".claude.json", (folder,)),)
    file = home / ".claude.json"
    return (Place(file, (file, home / ".claude")),)


def claude_code_settings(home: PurePath, environ: Environ) -> PurePath:
    """The user's settings, which hold the hooks."""
    return (_named(environ, "CLAUDE_CONFIG_DIR", home) or home / ".claude") / "settings.json"


def claude_desktop(system: str, home: PurePath, environ: Environ) -> tuple[Place, ...]:
    """On Windows the packaged application, which sees a folder of its own in place of the common one, comes first."""
    name = "claude_desktop_config.json"
    folder = _applications(system, home, environ) / "Claude"
    place = Place(folder / name, (folder, *_bundles(system, home, "Claude")))
    if system != "win32":
        return (place,)
    local = _named(environ, "LOCALAPPDATA", home) or home / "AppData" / "Local"
    package = local / "Packages" / "Claude_pzs8sxrjxfjjc"
    return Place(package / "LocalCache" / "Roaming" / "Claude" / name, (package,)), place


def cursor(system: str, home: PurePath, environ: Environ) -> tuple[Place, ...]:
    folder = home / ".cursor"
    state = _applications(system, home, environ) / "Cursor"
    return (Place(folder / "mcp.json", (folder, state, *_bundles(system, home, "Cursor"))),)


def vscode(system: str, home: PurePath, environ: Environ) -> tuple[Place, ...]:
    """The default profile of the user."""
    folder = _applications(system, home, environ) / "Code"
    return (Place(folder / "User" / "mcp.json", (folder, *_bundles(system, home, "Visual Studio Code"))),)


def codex(system: str, home: PurePath, environ: Environ) -> tuple[Place, ...]:
    folder = _named(environ, "CODEX_HOME", home) or home / ".codex"
    return (Place(folder / "config.toml", (folder,)),)


def gemini(system: str, home: PurePath, environ: Environ) -> tuple[Place, ...]:
    """The variable names what stands for the home folder, not the folder within it."""
    folder = (_named(environ, "GEMINI_CLI_HOME", home) or home) / ".gemini"
    return (Place(folder / "settings.json", (folder,)),)


def _applications(system: str, home: PurePath, environ: Environ) -> PurePath:
    """Where applications keep what is a user's."""
    if system == "win32":
        return _named(environ, "APPDATA", home) or home / "AppData" / "Roaming"
    if system == "darwin":
        return home / "Library" / "Application Support"
    return _named(environ, "XDG_CONFIG_HOME", home) or home / ".config"


def _bundles(system: str, home: PurePath, name: str) -> tuple[PurePath, ...]:
    """Where macOS has an application, which need not have been started yet."""
    if system != "darwin":
        return ()
    return type(home)("/Applications", f"{name}.app"), home / "Applications" / f"{name}.app"


def _named(environ: Environ, name: str, home: PurePath) -> PurePath | None:
    """The folder that a variable names. `~` is the given home; an empty variable names none."""
    text = environ.get(name, "")
    if not text:
        return None
    return home / text[2:] if text.startswith(("~/", "~\\")) else type(home)(text)
