"""The hooks of Claude Code that capture a session as it goes on."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from .merge import Document

EVENTS: dict[str, dict[str, Any]] = {
    "Stop": {"async": True},
    "SubagentStop": {"async": True},
    "PreCompact": {"async": True},
    "SessionEnd": {"timeout": 60},
}
"""When to capture. Nobody waits for it in a session; at its end Claude Code allows 1.5 seconds unless more is asked for,
and it drops what runs in the background."""

_RUNS_IT = re.compile(r"tallystick\S*\s+hook\s+claude-code(\s|$)")
_SHELL = re.compile(r"[;&|<>$`\n]")


def hook_command(words: Sequence[str], system: str) -> str:
    """The command as a shell takes it. On Windows that is a POSIX shell or PowerShell: both take slashes in a path."""
    return shlex.join(word.replace("\\", "/") if system == "win32" else word for word in words)


def add_hooks(document: Document, command: str) -> None:
    """Set the command as a hook of each event. One that is there is not added again; its path is brought up to date
    unless somebody made more of it than the plain call.

    Raises:
        ValueError: the document has something else where hooks belong; the message says where.
    """
    for event, options in EVENTS.items():
        groups = document.get(("hooks", event))
        there = list(_ours(groups))
        if not there:
            position = len(groups) if isinstance(groups, list) else 0
            handler = {"type": "command", "command": command, **options}
            document.set(("hooks", event, position), {"hooks": [handler]})
        for place, handler in there:
            if handler["command"] != command and _plain(handler):
                document.set(("hooks", event, *place, "command"), command)


def _ours(groups: Any) -> Iterator[tuple[tuple[int, str, int], dict[str, Any]]]:
    """The hooks of an event that capture, each with its place."""
    for number, group in enumerate(groups if isinstance(groups, list) else ()):
        handlers = group.get("hooks") if isinstance(group, dict) else None
        for position, handler in enumerate(handlers if isinstance(handlers, list) else ()):
            if isinstance(handler, dict) and isinstance(handler.get("command"), str):
                arguments = handler.get("args")
                words = [handler["command"], *map(str, arguments if isinstance(arguments, list) else ())]
                if _RUNS_IT.search(" ".join(words)):
                    yield (number, "hooks", position), handler


def _plain(handler: dict[str, Any]) -> bool:
    """Whether a hook calls the program and does nothing else."""
    command = handler["command"]
    if "args" in handler or _SHELL.search(command):
        return False
    try:
        program = PurePath(shlex.split(command)[0]).stem
    except ValueError:
        return False
    return program == "tallystick" or program.startswith("python")
