"""What every reader does with a text before it is given: sound, stripped, redacted, cut, hashed, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from .clean import INJECTED, compact, is_memory_tool, strip_injected
from .lines import parse, sound
from .names import message_name, session_name
from .records import CapturedMessage, CapturedSession, Event, Reason, Role, Skipped, Whole, Withdrawn, version_of
from .redact import redact

TOOL_INPUT = 400
"""Characters kept of a tool call's input, on one line."""
TOOL_RESULT = 2000
"""Characters kept of a tool's result: enough to see what came back; files and logs can be read again at their source."""
TEXT = 256 * 1024
"""Characters kept of one text that a person or an agent wrote."""
MESSAGE = 512 * 1024
"""Characters kept of a message, all its texts together: as JSON it fits into a request whatever its characters are."""
TITLE = 120
FACT = 1024
"""Characters kept of a folder or of the name of a tool."""

_MARGIN = 2048
_DETAILS = 50


class Reading:
    """One run over one session: its header as it becomes known, its counts, and the way a text goes.

    `again` says that the source was read before, by a run that may have given what this one does not. `ids` are those of
    the messages that stand, where they are wanted for `whole`; None otherwise, as they may be many.

    Args:
        injected: tags of blocks that this client puts into prompts, besides those that are taken out everywhere.
        resumed: whether the head of the source is not read: then the first prompt seen is no title, and the first time
            not when the session was created.
    """

    def __init__(
        self, agent: str, native_id: str, source: Path, *, injected: tuple[str, ...] = (), resumed: bool = False
    ) -> None:
        self.again = False
        self.ids: set[str] | None = None
        self._known = CapturedSession(agent=agent, native_id=session_name(native_id), source=source)
        self._given: CapturedSession | None = None
        self._skipped: Counter[tuple[Reason, str]] = Counter()
        self._redacted: Counter[str] = Counter()
        self._first: datetime | None = None
        self._last: datetime | None = None
        self._told = False  # whether anything was counted since the last message
        self._prompt_tags = (*injected, *INJECTED)
        self._resumed = self._titled = resumed

    def learn(self, **facts: Any) -> None:
        """Header fields that have become known; None and what does not fit are passed over."""
        known: dict[str, Any] = {}
        for name, value in facts.items():
            if isinstance(value, datetime):
                known[name] = value
            elif isinstance(value, str) and value.strip():
                known[name] = session_name(value) if name in ("native_id", "parent") else self._fact(value)
        if "title" in known:
            known["title"] = " ".join(known["title"].split())[:TITLE]
            self._titled = True
        if known:
            self._known = replace(self._known, **known)

    @property
    def native_id(self) -> str:
        """The client's id of the session."""
        return self._known.native_id

    @property
    def has_cwd(self) -> bool:
        """Whether the folder is known: the first one counts, an agent may change it on its way."""
        return self._known.cwd is not None

    def at(self, time: datetime | None) -> None:
        """A record's time: the first is when the session was created (if its head is read), the last when updated."""
        if time is not None:
            if self._first is None:
                self._first = time
            if self._last is None or time > self._last:
                self._last = time

    def skip(self, reason: Reason, count: int = 1, detail: Any = "") -> None:
        """Counts what is left out. Details are whatever a file says, so there is a limit to how many are told apart."""
        if not count:
            return
        self._told = True
        detail = detail[:60] if isinstance(detail, str) else ""
        if not self._skipped[reason, detail] and len(self._skipped) >= _DETAILS:
            detail = ""
        self._skipped[reason, detail] += count

    def record(self, data: bytes | None, detail: str = "") -> dict[str, Any] | None:
        """The record on a line, or None after counting why there is none."""
        if data is None:
            self.skip(Reason.TOO_LONG)
            return None
        if not data.strip():
            return None
        try:
            value, replaced = parse(data)
        except ValueError:
            self.skip(Reason.NOT_JSON, detail=detail)
            return None
        self.skip(Reason.CHARACTERS, replaced)
        if not isinstance(value, dict):
            self.skip(Reason.NOT_A_RECORD, detail=detail)
            return None
        return value

    def each(self, value: Any, detail: str) -> Iterator[dict[str, Any]]:
        """The objects of a list; what is no object or no list is counted, nothing at all is not."""
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, dict) and isinstance(value, list):
                yield item
            elif value is not None:
                self.skip(Reason.NOT_A_RECORD, detail=detail)

    def prompt(self, text: Any) -> str:
        """What a person wrote, without what was put in beside it."""
        return self._written(text, self._prompt_tags)

    def answer(self, text: Any) -> str:
        """What an agent wrote. Nothing is injected there; a tag in it is something the agent says."""
        return self._written(text, ())

    def call(self, name: Any, given: Any) -> str:
        """The line that stands for a tool call: `[tool Name] input…`; our own memory tools by name only."""
        name = self._tool(name)
        if is_memory_tool(name) or given in (None, "", {}):
            return f"[tool {name}]"
        text = redact(self._sound(compact(given)[: TOOL_INPUT + _MARGIN]), self._redacted)
        return f"[tool {name}] {_cut(text, TOOL_INPUT)}"

    def result(self, name: Any, text: Any) -> str:
        """What a tool answered, cut: `[result Name] …`. Empty for our own memory tools, which is counted."""
        name = self._tool(name)
        if is_memory_tool(name):
            self.skip(Reason.OWN_TOOL, detail=name)
            return ""
        if not isinstance(text, str) or not text.strip():
            return ""
        text, removed = strip_injected(text[: TEXT + _MARGIN])
        self.skip(Reason.INJECTED, removed)
        text = redact(self._sound(text.strip()[: TOOL_RESULT + _MARGIN]), self._redacted)
        return f"[result {name}] {_cut(text, TOOL_RESULT)}"

    def message(
        self, native_id: str, role: Role, parts: list[str], time: datetime | None = None, parent: Any = None
    ) -> Iterator[CapturedSession | CapturedMessage]:
        """The message made of the parts that are not empty, after the header if that was not given yet."""
        content = "\n".join(part for part in parts if part).strip()
        redacted, self._redacted = tuple(sorted(self._redacted.items())), Counter()
        told, self._told = self._told, False
        if not content:
            if not told:  # else it has been said why nothing is left
                self.skip(Reason.EMPTY)
            return
        if len(content) > MESSAGE:
            self.skip(Reason.CUT)
            content = _cut(content, MESSAGE)
        self.at(time)
        if role == "user" and not self._titled:
            self.learn(title=content[: TITLE * 4])
        yield from self._open()
        native_id = message_name(native_id)
        if self.ids is not None:
            self.ids.add(native_id)
        yield CapturedMessage(
            id=native_id,
            role=role,
            content=content,
            version=version_of(role, content),
            timestamp=time,
            parent=message_name(parent) if isinstance(parent, str) else None,
            redacted=redacted,
        )

    def withdraw(self, native_id: str) -> Iterator[CapturedSession | Withdrawn]:
        """A message has been taken back. Nothing where none can have been given, in this run or an earlier one."""
        if self._given is None and not self.again:
            return
        yield from self._open()
        native_id = message_name(native_id)
        if self.ids is not None:
            self.ids.discard(native_id)
        yield Withdrawn(self.native_id, native_id)

    def whole(self) -> Iterator[CapturedSession | Whole]:
        """The messages that stand are all that the session has now."""
        yield from self._open()
        yield Whole(self.native_id, frozenset(self.ids or ()))

    def forget(self) -> None:
        """A text that was prepared is not given after all: nor are the secrets that were found in it."""
        self._redacted.clear()

    def counts(self) -> Iterator[Event]:
        """What was left out so far, which is then forgotten."""
        for (reason, detail), count in sorted(self._skipped.items()):
            yield Skipped(reason, count, detail)
        self._skipped.clear()

    def close(self) -> Iterator[Event]:
        """The header if it tells something that was not given yet, then the counts.

        A source without a message has no session; a later part of one may bring no message, and yet a title.
        """
        header = self._header()
        if header != self._given and (self._given is not None or (self._resumed and (header.title or header.updated))):
            yield header
        yield from self.counts()

    def _open(self) -> Iterator[CapturedSession]:
        """The header, if it was not given yet."""
        if self._given is None:
            self._given = self._header()
            yield self._given

    def _header(self) -> CapturedSession:
        known, last = self._known, self._last
        created = known.created or (None if self._resumed else self._first)
        updated = max(known.updated, last) if known.updated and last else known.updated or last
        return replace(known, created=created, updated=updated)

    def _written(self, text: Any, tags: tuple[str, ...]) -> str:
        if not isinstance(text, str) or not text:
            return ""
        if tags:
            text, removed = strip_injected(text, tags)
            self.skip(Reason.INJECTED, removed)
        if len(text) > TEXT:
            self.skip(Reason.CUT)
        return _cut(redact(self._sound(text[: TEXT + _MARGIN]), self._redacted).strip(), TEXT)

    def _fact(self, text: str) -> str:
        return redact(self._sound(text[: FACT + _MARGIN]), Counter())[:FACT]

    def _tool(self, name: Any) -> str:
        return redact(self._sound(name[:FACT]), self._redacted) if isinstance(name, str) and name else "tool"

    def _sound(self, text: str) -> str:
        text, replaced = sound(text)
        self.skip(Reason.CHARACTERS, replaced)
        return text


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit].rstrip()}…"
