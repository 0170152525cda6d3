"""Gemini CLI: ~/.gemini/tmp/<project>/chats/session-*.jsonl, sub-agents in chats/<session>/; older: one .json document.

The file is a log of changes: a first line of metadata, then records with an id, of which a later one replaces an
earlier one with the same id, {"$set": …} for metadata and {"$rewindTo": id}, which takes away that message and all
after it. `$set.messages` is what the model is given (after a compression, say), not what was on the screen. Gemini CLI
itself takes a rewind to a message that it does not have for one to before the first; here it is counted and changes
nothing, as losing a conversation is worse than keeping a turn too much.
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
from .records import START, Event, Mark, Reached, Reason, Unreadable
from .streaming import SWEEP, LineReader
from .times import when

NAME = "gemini"


class Gemini(LineReader):
    agent = NAME
    prompt_tags = ("session_context", "hook_context", "state_snapshot")
    near = False  # a record may rewrite one from anywhere before it

    def __init__(self, path: Path, start: int, native_id: str) -> None:
        super().__init__(path, start, native_id)
        self.held: tuple[dict[str, Any], Line] | None = None
        self.rewound = False  # read again, a rewind would move what came after it: the next turn begins behind it
        self.live: dict[int, str] = {}  # the ids of the records of the conversation, by their keys in `thread`

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
        if _is_message(record):
            # Most rewrites follow at once; holding one record back gives only the last of them.
            if self.held is not None and self.name(*self.held) == self.name(record, line):
                self.reading.skip(Reason.REPEATED)
                line = Line(self.held[1].offset, line.end, line.data)
            else:
                yield from self._release()
                if record.get("type") == "user" or self.rewound:
                    self.rewound = False
                    self.turn(line)
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
            for message in self.reading.each(facts.get("messages"), "messages"):
                if _is_message(message):
                    yield from self.take(message, line)
                else:
                    self.reading.skip(Reason.UNKNOWN, detail=message.get("type"))

    def finish(self) -> Iterator[Event]:
        yield from self._release()

    def adopt(self, past: Gemini) -> None:
        super().adopt(past)
        self.live |= past.live

    def name(self, record: dict[str, Any], line: Line) -> str:
        return record["id"] or super().name(record, line)

    def give(self, record: dict[str, Any], line: Line) -> Iterator[Event]:
        time, native = when(record.get("timestamp")), self.name(record, line)
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
        native, shown = self.name(record, line), False
        for event in self.give(record, line):
            shown = True
            yield event
        if hash(native) in self.live:
            self.thread.renew(native, line.offset, shown=shown)
        else:
            self.live[hash(native)] = native
            self.thread.add(native, line.offset, shown=shown)

    def _rewind(self, target: Any) -> Iterator[Event]:
        self.recall(lambda _: False)
        if not isinstance(target, str) or hash(target) not in self.live:
            self.unplaced()
            return
        for run in self.thread.cut(target).withdrawn:
            for count, (key, shown) in enumerate(zip(run.keys, run.shown, strict=True), 1):
                native = self.live.pop(key)
                if shown:
                    yield from self.reading.withdraw(native)
                if count % SWEEP == 0:
                    yield self.reached()
        self.rewound = True

    def _calls(self, record: dict[str, Any]) -> list[str]:
        parts = []
        for call in self.reading.each(record.get("toolCalls"), "toolCalls"):
            parts.append(self.reading.call(call.get("name"), call.get("args")))
            parts.append(self.reading.result(call.get("name"), _result(call)))
        return parts

    def _learn(self, facts: dict[str, Any]) -> None:
        folders = facts.get("directories")
        if isinstance(folders, list) and folders and not self.reading.has_cwd:
            self.reading.learn(cwd=folders[0])
        self.reading.learn(title=facts.get("summary"), created=when(facts.get("startTime")))
        self.reading.at(when(facts.get("lastUpdated")))


def read(source: Path, *, resume: Mark = START) -> Iterator[Event]:
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
        reader.reading.again, reader.reading.ids = resume != START, set()
        yield from reader.take(record, Line(0, size, data))
        yield from reader.finish()
    yield from reader.reading.close()
    if reader.reading.ids and reader.reading.again:
        yield from reader.reading.whole()
    yield Reached(Mark(size), size)


def _is_message(record: dict[str, Any]) -> bool:
    return isinstance(record.get("id"), str) and "type" in record


def _texts(content: Any) -> list[str]:
    """The texts of a string, a part or a list of parts; thoughts and attached data are not shown as text."""
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else [content]
    shown = [p for p in parts if isinstance(p, dict) and not p.get("thought")]
    return [p["text"] for p in shown if isinstance(p.get("text"), str)]


def _result(call: dict[str, Any]) -> Any:
    results = call.get("result")
    for part in results if isinstance(results, list) else ():
        given = part.get("functionResponse") if isinstance(part, dict) else None
        answer = given.get("response") if isinstance(given, dict) else None
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
        with opened(path) as stream:
            return b'"projectHash"' in stream.read(4096)
    record = first_record(path)
    return record is not None and "sessionId" in record and "projectHash" in record


CLIENT = Client(NAME, roots, find, read, knows)
