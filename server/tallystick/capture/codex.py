"""Codex CLI: <home>/sessions/YYYY/MM/DD/rollout-<ts>-<uuid>.jsonl, archived_sessions/, and .jsonl.zst.

A line is {timestamp, type, payload}. What is said stands twice, as a response_item and as an event_msg; either may be
missing in files of some versions, so the first of a pair is given and the second one dropped, wherever they stand.
Messages have no ids of their own; they are named by their offset, which compression does not change.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from .client import Client
from .lines import Line
from .order import Move
from .places import codex as find
from .places import codex_roots as roots
from .places import first_record
from .records import Event, Reason, Role
from .streaming import SWEEP, LineReader
from .times import when

NAME = "codex"

_PAIRS = 256
_INJECTED = (
    "# AGENTS.md instructions", "<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "<turn_aborted>",
    "<subagent_notification>", "<skill>", "<permissions instructions>", "<collaboration_mode>", "<user_shell_command>",
)  # fmt: skip

_IMAGE_TAG = re.compile(r"<image(?: name=[^<>]*)?>|</image>")
"""What Codex puts around an image that it gives to the model."""

_IDE = "## My request for Codex:"
"""What a person typed in an editor follows this; before it the editor tells what is open."""


class Codex(LineReader):
    agent = NAME
    prompt_tags = ("environment_context", "user_instructions", "turn_aborted")
    near = False  # the second of a pair is known by the first

    def __init__(self, path: Path, start: int, native_id: str) -> None:
        super().__init__(path, start, native_id)
        self.turns = array("q")  # where the turns of the conversation begin
        self.seen: Counter[tuple[str, str, int]] = Counter()  # (source, role, hash of the text), in this turn
        self.met = False

    @classmethod
    def begin(cls, path: Path, start: int) -> Codex:
        head = first_record(path) or {}
        named = head["payload"].get("id") if isinstance(head.get("payload"), dict) else None
        reader = cls(path, start, named if isinstance(named, str) else path.name.split(".")[0])
        reader.met = start > 0
        return reader

    def take(self, record: dict[str, Any], line: Line) -> Iterator[Event]:
        payload = record.get("payload")
        if not isinstance(payload, dict):
            self.reading.skip(Reason.NOT_A_RECORD, detail=record.get("type"))
            return
        self.reading.at(time := when(record.get("timestamp")))
        yield from self._take(record.get("type"), payload, line, time)

    def _take(self, kind: Any, payload: dict[str, Any], line: Line, time: Any) -> Iterator[Event]:
        what = payload.get("type")
        match kind, what:
            case "session_meta", _:
                self._meta(payload)
            case "response_item", "message":
                content = payload.get("content")
                yield from self._said("item", payload.get("role"), _text(content), _images(content), line, time)
            case "event_msg", "user_message":
                shown = [payload.get("images"), payload.get("local_images")]
                images = sum(len(some) for some in shown if isinstance(some, list))
                yield from self._said("event", "user", payload.get("message"), images, line, time)
            case "event_msg", "agent_message":
                yield from self._said("event", "assistant", payload.get("message"), 0, line, time)
            case "event_msg", "thread_rolled_back":
                yield from self._roll_back(payload.get("num_turns"))
            case "response_item", "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call":
                yield from self._call(payload, line, time)
            case "response_item", "function_call_output" | "custom_tool_call_output":
                name = self.called(payload.get("call_id"))
                result = self.reading.result(name, _output(payload.get("output")))
                yield from self._message(line, "tool", [result], time)
            case "response_item", "reasoning":
                self.reading.skip(Reason.THINKING)
            case "compacted", _:
                self.reading.skip(Reason.COMPACTION)
            case "event_msg" | "turn_context" | "world_state", _:
                self.reading.skip(Reason.HOUSEKEEPING, detail=what or kind)
            case _:
                self.reading.skip(Reason.UNKNOWN, detail=what or kind)

    def _meta(self, payload: dict[str, Any]) -> None:
        if self.met:  # a fork repeats the head of the session that it was made from
            self.reading.skip(Reason.REPEATED, detail="session_meta")
            return
        self.met = True
        created = when(payload.get("timestamp"))
        self.reading.learn(cwd=payload.get("cwd"), created=created, parent=_parent(payload))

    def _said(self, source: str, role: Any, text: Any, images: int, line: Line, time: Any) -> Iterator[Event]:
        if role not in ("user", "assistant") or not isinstance(text, str):
            self.reading.skip(Reason.INJECTED, detail=role)
            return
        if role == "user" and text.lstrip().startswith(_INJECTED):
            self.reading.skip(Reason.INJECTED, detail=text.lstrip()[:24].split("\n")[0])
            return
        shown = self.reading.prompt(text.partition(_IDE)[2] or text) if role == "user" else self.reading.answer(text)
        key = hash(shown or "[image]" * images or text)
        self.seen[source, role, key] += 1
        other = "event" if source == "item" else "item"
        if self.seen[source, role, key] <= self.seen[other, role, key]:
            self.reading.skip(Reason.REPEATED)
            self.reading.forget()
            return
        if role == "user" and (images or text.strip()):  # a turn for Codex, even where nothing of it is shown
            self._new_turn(line, (source, role, key))
        yield from self._message(line, role, [shown, *["[image]"] * images], time)

    def _message(self, line: Line, role: Role, parts: list[str], time: Any) -> Iterator[Event]:
        shown = False
        for event in self.reading.message(self.name({}, line), role, parts, time):
            shown = True
            yield event
        self.thread.add(self.name({}, line), line.offset, shown=shown)

    def _new_turn(self, line: Line, said: tuple[str, str, int]) -> None:
        self.turn(line)
        self.turns.append(line.offset)
        # The second of a pair follows the first at once or nearly so; a few old ones are enough.
        self.seen = Counter({said: self.seen[said]}) if len(self.seen) > _PAIRS else self.seen

    def _call(self, payload: dict[str, Any], line: Line, time: Any) -> Iterator[Event]:
        name = str(payload.get("name") or payload.get("type"))
        if isinstance(space := payload.get("namespace"), str):
            name = f"{space}__{name}"
        self.calls(payload.get("call_id"), name)
        given = payload.get("arguments") or payload.get("input") or payload.get("action")
        if isinstance(given, str):
            with suppress(ValueError, RecursionError):  # a patch, or cut off by the model: shown as it stands
                given = json.loads(given)
        yield from self._message(line, "assistant", [self.reading.call(name, given)], time)

    def _roll_back(self, count: Any) -> Iterator[Event]:
        if not isinstance(count, int) or count < 1:
            self.unplaced()
            return
        if count > len(self.turns):
            self.recall(lambda _: False)
        if not self.turns:
            self.unplaced()
            return
        at = max(len(self.turns) - count, 0)
        yield from self.moved(self.thread.cut(f"line-{self.turns[at]}"))
        del self.turns[at:]
        self.seen.clear()

    def adopt(self, past: Codex) -> None:
        super().adopt(past)
        self.turns = past.turns + self.turns

    def moved(self, move: Move) -> Iterator[Event]:
        """Withdraws what was rolled back, by offset alone: a compressed file cannot be gone back in. Nothing returns."""
        for run in move.withdrawn:
            for count, offset in enumerate(run.visible(), 1):
                yield from self.reading.withdraw(f"line-{offset}")
                if count % SWEEP == 0:
                    yield self.reached()


def _text(content: Any) -> str | None:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [block.get("text") for block in content if isinstance(block, dict)]
    return "\n".join(text for text in texts if isinstance(text, str) and not _IMAGE_TAG.fullmatch(text))


def _images(content: Any) -> int:
    blocks = content if isinstance(content, list) else []
    return sum(isinstance(block, dict) and block.get("type") == "input_image" for block in blocks)


def _output(output: Any) -> Any:
    """A tool's output: a string, which may be JSON with the text in it, or blocks."""
    if isinstance(output, str) and output.startswith("{"):
        try:
            value = json.loads(output)
        except (ValueError, RecursionError):
            return output
        inner = value.get("output", value.get("content"))
        return inner if isinstance(inner, str) else output
    if isinstance(output, dict):
        return output.get("content") or output.get("output")
    return _text(output)


def _parent(payload: dict[str, Any]) -> Any:
    """The thread that spawned this one. A fork is no sub-agent."""
    source = payload.get("source")
    agent = source.get("subagent") if isinstance(source, dict) else None
    spawn = agent.get("thread_spawn") if isinstance(agent, dict) else None
    return spawn.get("parent_thread_id") if isinstance(spawn, dict) else payload.get("parent_thread_id")


def knows(path: Path) -> bool:
    record = first_record(path)
    return record is not None and isinstance(record.get("payload"), dict) and "type" in record


CLIENT = Client(NAME, roots, find, Codex.stream, knows)
