"""What a client's hook says on stdin: which files a session is in, right now."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class HookCall:
    """One call of the hook: the session, what happened, and the files to capture (which need not be there yet)."""

    session: str
    event: str
    sources: tuple[Path, ...]


def claude_code(text: str | bytes, home: Path) -> HookCall:
    """Reads the JSON that Claude Code writes to a hook. A sub-agent's own transcript comes with its parent's.

    Raises:
        ValueError: it is no such JSON; the text says what is missing.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("The hook's input is no JSON. Claude Code writes one object to stdin.") from None
    if not isinstance(value, dict):
        raise ValueError("The hook's input is no JSON object.")  # noqa: TRY004 - the input is wrong, not its type
    session, event = value.get("session_id"), value.get("hook_event_name")
    if not isinstance(session, str) or not session:
        raise ValueError("The hook's input has no session_id.")
    sources = [_path(value[name], home) for name in ("transcript_path", "agent_transcript_path") if value.get(name)]
    if not sources:
        raise ValueError("The hook's input has no transcript_path.")
    return HookCall(session, event if isinstance(event, str) else "", tuple(sources))


def _path(value: object, home: Path) -> Path:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError("The hook's transcript_path is no path.")
    path = home / value[2:] if value.startswith("~/") else Path(value)
    if path.suffix != ".jsonl" or not path.is_absolute():
        raise ValueError(f"The hook's transcript_path is no absolute path of a .jsonl file: {value}")
    return path
