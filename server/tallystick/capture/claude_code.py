"""Claude Code: <config>/projects/<cwd-slug>/<sessionId>.jsonl, sub-agents in <sessionId>/subagents/agent-<id>.jsonl.

A line is one record: its own uuid and that of its parent. One answer of the model spans several lines that share
message.id; each is given as a message of its own, as it may be followed by the result of the tool that it calls before
the next one is written.

A session is named by its file, as Claude Code itself finds it, not by the sessionId in the records, which a fork or an
older resume may have copied from another session. A copy of a file under another name is another session.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .clean import as_typed
from .client import Client
from .lines import Line
from .places import claude_code as find
from .places import claude_code_roots as roots
from .places import first_record
from .records import Event, Reason
from .streaming import LineReader
from .times import when

NAME = "claude-code"

HOUSEKEEPING = frozenset({
    "progress", "file-history-snapshot", "queue-operation", "last-prompt", "agent-name", "agent-color", "agent-setting",
    "pr-link", "mode", "permission-mode", "attribution-snapshot", "content-replacement", "marble-origami-commit", "tag",
    "worktree-state", "speculation-accept", "task-summary", "result", "system", "attachment",
})  # fmt: skip


class ClaudeCode(LineReader):
    agent = NAME
    prompt_tags = (
        "local-command-caveat", "session-start-hook", "user-prompt-submit-hook", "ide_opened_file", "ide_selection",
        "ide_diagnostics",
    )  # fmt: skip

    def __init__(self, path: Path, start: int, native_id: str) -> None:
        super().__init__(path, start, native_id)
        self.side = False

    @classmethod
    def begin(cls, path: Path, start: int) -> ClaudeCode:
        if not path.stem.startswith("agent-"):
            return cls(path, start, path.stem)
        if "subagents" in path.parts:
            session = path.parts[path.parts.index("subagents") - 1]
        else:  # older: beside the files of sessions
            session = str((first_record(path) or {}).get("sessionId"))
        reader = cls(path, start, f"{session}:{path.stem}")
        reader.side = True
        reader.reading.learn(parent=session, title=_description(path.with_suffix(".meta.json")))
        return reader

    def take(self, record: dict[str, Any], line: Line) -> Iterator[Event]:
        kind = record.get("type")
        if isinstance(uuid := record.get("uuid"), str) and (self.side or not record.get("isSidechain")):
            if self._is_prompt(record):
                yield from self._go_on_from(record.get("parentUuid"), record.get("logicalParentUuid"))
                self.turn(line)
            shown = False
            for event in self.give(record, line):
                shown = True
                yield event
            self.thread.add(self.name(record, line), line.offset, shown=shown)
        elif isinstance(uuid, str):
            self.reading.skip(Reason.SIDECHAIN)
        elif kind == "summary" and isinstance(leaf := record.get("leafUuid"), str):
            # A file may begin with the titles of other sessions; one of this session names a record of it.
            self.reading.learn(title=record.get("summary") if self.thread.knows(leaf) else None)
        elif kind in ("custom-title", "ai-title"):
            self.reading.learn(title=record.get("customTitle") or record.get("aiTitle"))
        else:
            self._count(record)

    def name(self, record: dict[str, Any], line: Line) -> str:
        return record["uuid"] or super().name(record, line)

    def give(self, record: dict[str, Any], line: Line) -> Iterator[Event]:
        self.reading.learn(cwd=None if self.reading.has_cwd else record.get("cwd"))
        self.reading.at(when(record.get("timestamp")))
        kind = record.get("type")
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if record.get("isMeta"):
            self.reading.skip(Reason.INJECTED)
        elif record.get("isCompactSummary") or record.get("subtype") == "compact_boundary":
            self.reading.skip(Reason.COMPACTION)
        elif kind == "user":
            parts, person = self._user(content)
            yield from self._message(record, line, "user" if person else "tool", parts)
        elif kind == "assistant":
            role = "system" if record.get("isApiErrorMessage") else "assistant"
            yield from self._message(record, line, role, self._assistant(content))
        elif kind == "system" and record.get("subtype") == "local_command":
            yield from self._message(
                record, line, "system", [self.reading.prompt(as_typed(_str(record.get("content"))))]
            )
        elif kind == "attachment":
            yield from self._attachment(record, line)
        else:
            self._count(record)

    def _is_prompt(self, record: dict[str, Any]) -> bool:
        """Whether a person may have gone back to write this record: see order.py, rule 2."""
        message = record.get("message")
        if record.get("type") != "user" or record.get("isMeta") or record.get("isCompactSummary"):
            return False
        content = message.get("content") if isinstance(message, dict) else None
        return not (isinstance(content, list) and any(_kind(block) == "tool_result" for block in content))

    def _go_on_from(self, parent: Any, logical: Any) -> Iterator[Event]:
        if not isinstance(parent, str):
            parent = logical if isinstance(logical, str) else None
        self.recall(lambda reader: parent is not None and reader.thread.knows(parent))
        if parent is None or self.thread.knows(parent):
            yield from self.moved(self.thread.follow(parent))

    def _message(self, record: dict[str, Any], line: Line, role: Any, parts: list[str]) -> Iterator[Event]:
        time = when(record.get("timestamp"))
        yield from self.reading.message(self.name(record, line), role, parts, time, record.get("parentUuid"))

    def _user(self, content: Any) -> tuple[list[str], bool]:
        """The parts of a user record, and whether a person wrote any of them."""
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        parts, person = [], not isinstance(content, list)
        for block in blocks:
            match _kind(block):
                case "text":
                    text = self.reading.prompt(as_typed(_str(block.get("text"))))
                    person = person or bool(text)
                    parts.append(text)
                case "tool_result":
                    name = self.called(block.get("tool_use_id"))
                    parts.append(self.reading.result(name, _text(block.get("content"))))
                case "image" | "document" as attached:
                    person = True
                    parts.append(f"[{attached}]")
                case other:
                    self.reading.skip(Reason.UNKNOWN, detail=other)
        return parts, person

    def _assistant(self, content: Any) -> list[str]:
        parts = []
        for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            match _kind(block):
                case "text":
                    parts.append(self.reading.answer(block.get("text")))
                case "tool_use" | "server_tool_use" | "mcp_tool_use":
                    name = str(block.get("name") or "tool")
                    self.calls(block.get("id"), name)
                    parts.append(self.reading.call(name, block.get("input")))
                case "thinking" | "redacted_thinking":
                    self.reading.skip(Reason.THINKING)
                case other:
                    self.reading.skip(Reason.UNKNOWN, detail=other)
        return parts

    def _attachment(self, record: dict[str, Any], line: Line) -> Iterator[Event]:
        """What is put beside a prompt; only one kind was written by the person: a prompt typed while the agent worked."""
        attached = record.get("attachment")
        if isinstance(attached, dict) and attached.get("type") == "queued_command":
            parts, _ = self._user(attached.get("prompt"))
            yield from self._message(record, line, "user", parts)
        else:
            self._count(record)

    def _count(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        if isinstance(kind, str) and kind in HOUSEKEEPING:
            self.reading.skip(Reason.HOUSEKEEPING, detail=kind)
        else:
            self.reading.skip(Reason.UNKNOWN, detail=kind)


def _kind(block: Any) -> str:
    return str(block.get("type")) if isinstance(block, dict) else "no block"


def _str(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _text(content: Any) -> str:
    """The text of a tool result: a string, or blocks of which some are text."""
    if isinstance(content, list):
        return "\n".join(_str(b.get("text")) if _kind(b) == "text" else f"[{_kind(b)}]" for b in content)
    return _str(content)


def _description(meta: Path) -> Any:
    try:
        value = json.loads(meta.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None  # the file is an extra: an older client writes none
    return value.get("description") if isinstance(value, dict) else None


def knows(path: Path) -> bool:
    record = first_record(path)
    if record is None or "payload" in record:
        return False
    return "leafUuid" in record or "snapshot" in record or ("sessionId" in record and "type" in record)


CLIENT = Client(NAME, roots, find, ClaudeCode.stream, knows)
