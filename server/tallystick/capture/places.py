"""Where each client keeps its transcripts: the folders, which need not be there, and what lies in them.

Home and environment are given, so that nothing here reads the real ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .lines import lines, opened, parse

_HEAD = 16
"""How many lines are looked at for a first record."""


def claude_code_roots(home: Path, environ: Mapping[str, str]) -> list[Path]:
    return [_folder(environ, "CLAUDE_CONFIG_DIR", home / ".claude", home) / "projects"]


def claude_code(home: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """Sessions, each followed by its sub-agents."""
    for root in claude_code_roots(home, environ):
        for path in sorted(root.glob("*/*.jsonl")):
            yield path
            yield from sorted(path.with_suffix("").glob("subagents/**/agent-*.jsonl"))


def codex_roots(home: Path, environ: Mapping[str, str]) -> list[Path]:
    root = _folder(environ, "CODEX_HOME", home / ".codex", home)
    return [root / "sessions", root / "archived_sessions"]


def codex(home: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """Rollouts by date, then archived ones; of a file that is there plain and compressed, the plain one."""
    seen = set()
    for root in codex_roots(home, environ):
        for path in sorted(root.rglob("rollout-*.jsonl*")):
            if path.name.removesuffix(".zst") not in seen and path.name.endswith((".jsonl", ".jsonl.zst")):
                seen.add(path.name.removesuffix(".zst"))
                yield path


def gemini_roots(home: Path, environ: Mapping[str, str]) -> list[Path]:
    return [home / ".gemini" / "tmp"]


def gemini(home: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """Sessions and, in a folder named by the session, its sub-agents."""
    for root in gemini_roots(home, environ):
        for chats in sorted(root.glob("*/chats")):
            yield from sorted(p for p in chats.glob("session-*") if p.suffix in (".jsonl", ".json"))
            yield from sorted(chats.glob("*/*.jsonl"))


def opencode_roots(home: Path, environ: Mapping[str, str]) -> list[Path]:
    return [_opencode(home, environ).parent]


def opencode(home: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """The one database."""
    path = _opencode(home, environ)
    if path.is_file():
        yield path


def _opencode(home: Path, environ: Mapping[str, str]) -> Path:
    return _folder(environ, "OPENCODE_DB", home / ".local" / "share" / "opencode" / "opencode.db", home)


def cursor_roots(home: Path, environ: Mapping[str, str]) -> list[Path]:
    return [home / ".cursor" / "projects", *_cursor_states(home, environ)]


def cursor_lines(home: Path) -> Iterator[Path]:
    """Line files."""
    yield from sorted((home / ".cursor" / "projects").glob("*/agent-transcripts/**/*.jsonl"))


def cursor_databases(home: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """The global state of the editor, on each system where it lies there."""
    for folder in _cursor_states(home, environ):
        path = folder / "state.vscdb"
        if path.is_file():
            yield path


def _cursor_states(home: Path, environ: Mapping[str, str]) -> list[Path]:
    roaming = _folder(environ, "APPDATA", home / "AppData" / "Roaming", home)
    bases = (home / ".config", home / "Library" / "Application Support", roaming)
    return [base / "Cursor" / "User" / "globalStorage" for base in bases]


def copilot_roots(home: Path, environ: Mapping[str, str]) -> list[Path]:
    return [home / ".copilot" / "session-state"]


def copilot(home: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """Sessions, in a folder each; older ones as files."""
    for root in copilot_roots(home, environ):
        yield from sorted([*root.glob("*/events.jsonl"), *root.glob("*.jsonl")])


def first_record(path: Path) -> dict[str, Any] | None:
    """The first line of a file that is a JSON object, None when there is none near its beginning.

    Raises:
        Unreadable: the file cannot be read.
    """
    with opened(path) as stream:
        for number, line in enumerate(lines(stream)):
            if number == _HEAD:
                break
            try:
                value = parse(line.data or b"")[0]
            except ValueError:
                continue
            if isinstance(value, dict):
                return value
    return None


def _folder(environ: Mapping[str, str], name: str, default: Path, home: Path) -> Path:
    """The folder that a variable names, else the default. `~` is the given home; an empty variable is none."""
    text = environ.get(name, "")
    if not text:
        return default
    return home / text[2:] if text.startswith(("~/", "~\\")) else Path(text)
