"""Gemini CLI: ~/.gemini/tmp/<project>/chats/session-*.jsonl, sub-agents in chats/<session>/; older: one .json document.

The file is a log of changes: a first line of metadata, then records with an id, of which a later one replaces an
earlier one with the same id, {"$set": …} for metadata and {"$rewindTo": id}, which takes away that message and all
after it. `$set.messages` is what the model is given (after a compression, say), not what was on the screen.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .client import Client
from .lines import LONGEST, Line, opened
from .places import first_record
from .places import gemini as find
from .places import gemini_roots as roots
from .records import Event, Reached, Reason, Unreadable
from .streaming import LineReader
from .times import when

NAME = "gemini"


class Gemini(LineReader):
    agent = NAME
    prompt_tags = ("session_context", "hook_context", "state_snapshot")

    def __init__(self, path: Path, start: int, native_id: str) -> None:
        super().__init__(path, start, native_id)
        self.held: tuple[dict[str, Any], Line] | None = None

    @classmethod
    def begin(cls, path: Path, start: int) -> Gemini:
        head = first_record(path) or {}
        named = head.get("sessionId")
        reader = cls(path, start, named if isinstance(named, str) else path.stem)
        reader.reading.learn(cwd=_project(path))
        if path.parent.name != "chats":
            reader.reading.learn(parent=path.parent.name)
        return reader

    def take(self, record: dict[str, Any], line: Line) -> Iterator[Event]:
        if isinstance(native := record.get("id"), str) and "type" in record:
            # Most rewrites follow at once; holding one record back gives only the last of them.
            if self.held is not None and self.held[0].get("id") != native:
                yield from self._release()
            elif self.held is not None:
                self.reading.skip(Reason.REPEATED)
                line = Line(self.held[1].offset, line.end, line.data)
            self.held = record, line
            return
        if "$rewindTo" in record:
            yield from self._release()
            yield from self._rewind(record["$rewindTo"])
            return
        facts = record.get("$set", record)
        if not isinstance(facts, dict) or not ("$set" in record or "sessionId" in record):
            self.reading.skip(Reason.UNKNOWN, detail=record.get("type"))
            return
        self._learn(facts)
        if "$set" not in record:
            for message in facts.get("messages") or ():
                if isinstance(message, dict):
                    yield from self.take(message, line)

    def finish(self) -> Iterator[Event]:
        yield from self._release()

    def name(self, record: dict[str, Any], line: Line) -> str:
        return str(record.get("id"))

    def give(self, record: dict[str, Any], line: Line) -> Iterator[Event]:
        time, native = when(record.get("timestamp")), str(record.get("id"))
        match record.get("type"):
            case "user":
                shown = record.get("displayContent", record.get("content"))
                parts = [self.reading.prompt(text) for text in _texts(shown)]
                yield from self.reading.message(native, "user", parts, time)
            case "gemini":
                parts = [self.reading.answer(text) for text in _texts(record.get("content"))]
                if record.get("thoughts"):
                    self.reading.skip(Reason.THINKING)
                yield from self.reading.message(native, "assistant", parts + self._calls(record), time)
            case "error" | "warning" as kind:
                parts = [f"[{kind}] {self.reading.answer(text)}" for text in _texts(record.get("content"))]
                yield from self.reading.message(native, "system", parts, time)
            case "info":
                self.reading.skip(Reason.HOUSEKEEPING, detail="info")
            case other:
                self.reading.skip(Reason.UNKNOWN, detail=other)

    def _release(self) -> Iterator[Event]:
        if self.held is None:
            return
        (record, line), self.held = self.held, None
        native = str(record["id"])
        if record.get("type") == "user":
            self.turn = line.offset
        shown = False
        for event in self.give(record, line):
            shown = True
            yield event
        # A rewrite keeps the place of the record that it rewrites; one from before `start` has it in the store.
        if not self.thread.knows(native):
            self.thread.add(native, line.offset, shown=shown)

    def _rewind(self, target: Any) -> Iterator[Event]:
        if isinstance(target, str):
            self.recall(target)
        if not isinstance(target, str) or not self.thread.knows(target):
            self.unplaced()
            return
        yield from self.moved(self.thread.cut(target))

    def _calls(self, record: dict[str, Any]) -> list[str]:
        parts = []
        for call in record.get("toolCalls") or ():
            if not isinstance(call, dict):
                self.reading.skip(Reason.UNKNOWN, detail="toolCalls")
                continue
            parts.append(self.reading.call(call.get("name"), call.get("args")))
            parts.append(self.reading.result(call.get("name"), _result(call)))
        return parts

    def _learn(self, facts: dict[str, Any]) -> None:
        folders = facts.get("directories")
        if isinstance(folders, list) and folders and not self.reading.has_cwd:
            self.reading.learn(cwd=folders[0])
        self.reading.learn(title=facts.get("summary"), created=when(facts.get("startTime")))
        self.reading.at(when(facts.get("lastUpdated")))


def read(source: Path, *, resume: int = 0) -> Iterator[Event]:
    """The events of a session file; see Client.read. The older single document is one record: read whole, up to 32 MiB."""
    if source.suffix != ".json":
        yield from Gemini.stream(source, resume=resume)
        return
    with opened(source) as stream:
        data = stream.read(LONGEST + 1)
    reader = Gemini.begin(source, 0)
    size = len(data)
    record = reader.reading.record(data if size <= LONGEST else None)
    if record is not None:
        if not isinstance(named := record.get("sessionId"), str):
            raise Unreadable(f"{source} is no session of Gemini CLI: it has no sessionId")
        reader.reading.learn(native_id=named)
        yield from reader.take(record, Line(0, size, data))
        yield from reader.finish()
    yield from reader.reading.close()
    yield Reached(0, size)


def _texts(content: Any) -> list[str]:
    """The texts of a string, a part or a list of parts; thoughts and attached data are not shown as text."""
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else [content]
    shown = [p for p in parts if isinstance(p, dict) and not p.get("thought")]
    return [p["text"] for p in shown if isinstance(p.get("text"), str)]


def _result(call: dict[str, Any]) -> Any:
    for part in call.get("result") or () if isinstance(call.get("result"), list) else ():
        answer = part.get("functionResponse", {}).get("response") if isinstance(part, dict) else None
        if isinstance(answer, dict):
            return answer.get("output") or answer.get("error")
    return call.get("resultDisplay")


def _project(path: Path) -> str | None:
    """The folder that a project was opened in, from the file that newer versions put beside its chats."""
    for folder in path.parents[1:3]:
        try:
            return (folder / ".project_root").read_text("utf-8").strip()
        except (OSError, ValueError):
            continue
    return None


def knows(path: Path) -> bool:
    if path.suffix == ".json":
        try:
            with opened(path) as stream:
                return b'"projectHash"' in stream.read(4096)
        except Unreadable:
            return False
    record = first_record(path)
    return record is not None and "sessionId" in record and "projectHash" in record


CLIENT = Client(NAME, roots, find, read, knows)
