"""GitHub Copilot CLI: ~/.copilot/session-state/<id>/events.jsonl, older <id>.jsonl.

A line is an event {type, data, id, timestamp, parentId}. A tool's start repeats what the answer before it announced;
only its completion tells something new.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .client import Client
from .lines import Line
from .places import copilot as find
from .places import copilot_roots as roots
from .places import first_record
from .records import Event, Reason
from .streaming import LineReader
from .times import when

NAME = "copilot"


class Copilot(LineReader):
    agent = NAME
    prompt_tags = ("current_datetime", "reminder", "skill-context")

    @classmethod
    def begin(cls, path: Path, start: int) -> Copilot:
        return cls(path, start, path.parent.name if path.name == "events.jsonl" else path.stem)

    def take(self, record: dict[str, Any], line: Line) -> Iterator[Event]:
        kind, data = record.get("type"), record.get("data")
        if not isinstance(data, dict):
            self.reading.skip(Reason.NOT_A_RECORD, detail=kind)
            return
        self.reading.at(when(record.get("timestamp")))
        if kind in ("session.start", "session.resume"):
            context = data.get("context")
            cwd = context.get("cwd") if isinstance(context, dict) else None
            self.reading.learn(cwd=None if self.reading.has_cwd else cwd)
        elif kind == "session.title_changed":
            self.reading.learn(title=data.get("title"))
        elif kind == "session.snapshot_rewind":
            yield from self._rewind(data.get("upToEventId"))
        else:
            if kind == "user.message":
                self.turn(line)
            shown = False
            for event in self.give(record, line):
                shown = True
                yield event
            self.thread.add(self.name(record, line), line.offset, shown=shown)

    def name(self, record: dict[str, Any], line: Line) -> str:
        native = record.get("id")
        return native if isinstance(native, str) and native else super().name(record, line)

    def give(self, record: dict[str, Any], line: Line) -> Iterator[Event]:
        kind, data, time = str(record.get("type")), record["data"], when(record.get("timestamp"))
        native, parent = self.name(record, line), record.get("parentId")
        if data.get("parentToolCallId"):
            self.reading.skip(Reason.SIDECHAIN)
        elif kind == "user.message":
            yield from self.reading.message(native, "user", [self.reading.prompt(data.get("content"))], time, parent)
        elif kind == "assistant.message":
            parts = [self.reading.answer(data.get("content"))]
            if data.get("reasoningText") or data.get("reasoningOpaque"):
                self.reading.skip(Reason.THINKING)
            for call in self.reading.each(data.get("toolRequests"), "toolRequests"):
                self.calls(call.get("toolCallId"), str(call.get("name") or "tool"))
                parts.append(self.reading.call(call.get("name"), call.get("arguments")))
            yield from self.reading.message(native, "assistant", parts, time, parent)
        elif kind == "tool.execution_complete":
            name = self.called(data.get("toolCallId")) or data.get("toolName")
            yield from self.reading.message(native, "tool", [self.reading.result(name, _output(data))], time, parent)
        elif kind == "session.error":
            text = self.reading.answer(data.get("message"))
            yield from self.reading.message(native, "system", [f"[error] {text}" if text else ""], time, parent)
        elif kind.split(".")[0] in (
            "session",
            "assistant",
            "tool",
            "hook",
            "system",
            "permission",
            "subagent",
            "skill",
        ):
            self.reading.skip(Reason.HOUSEKEEPING, detail=kind)
        else:
            self.reading.skip(Reason.UNKNOWN, detail=kind)

    def _rewind(self, target: Any) -> Iterator[Event]:
        self.recall(lambda reader: isinstance(target, str) and reader.thread.knows(target))
        if not isinstance(target, str) or not self.thread.knows(target):
            self.unplaced()
            return
        yield from self.moved(self.thread.cut(target))


def _output(data: dict[str, Any]) -> Any:
    for holder in (data.get("result"), data.get("error")):
        if isinstance(holder, dict):
            return holder.get("content") or holder.get("message")
        if isinstance(holder, str):
            return holder
    return None


def knows(path: Path) -> bool:
    record = first_record(path)
    return record is not None and "data" in record and "." in str(record.get("type"))


CLIENT = Client(NAME, roots, find, Copilot.stream, knows)
