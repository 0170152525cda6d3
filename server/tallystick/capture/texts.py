"""What every reader does with a text before it is given: sound, stripped, redacted, cut, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from .clean import INJECTED, compact, is_memory_tool, strip_injected
from .lines import parse, sound
from .records import Event, Reason, Skipped
from .redact import redact
from .secret_kinds import SHORTEST

TOOL_INPUT = 400
"""Characters kept of a tool call's input, on one line."""
TOOL_RESULT = 2000
"""Characters kept of a tool's result: enough to see what came back; files and logs can be read again at their source."""
TEXT = 256 * 1024
"""Characters kept of one text that a person or an agent wrote."""
FACT = 1024
"""Characters kept of a folder or of the name of a tool."""

_MARGIN = 512
"""Characters looked at beyond what is kept, so that a secret that is cut is known by its form."""
_DETAILS = 50


class Texts:
    """The way of the texts of one session, and what is counted on it.

    Args:
        injected: tags of blocks that a client puts into prompts, besides those that are taken out everywhere.
    """

    def __init__(self, injected: tuple[str, ...] = ()) -> None:
        self._skipped: Counter[tuple[Reason, str]] = Counter()
        self._redacted: Counter[str] = Counter()
        self._told = False  # whether anything was counted since the last message
        self._prompt_tags = (*injected, *INJECTED)

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
        return f"[tool {name}] {cut(text, TOOL_INPUT)}"

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
        return f"[result {name}] {cut(text, TOOL_RESULT)}"

    def forget(self) -> None:
        """A text that was prepared is not given after all: nor are the secrets that were found in it."""
        self._redacted.clear()

    def counts(self) -> Iterator[Event]:
        """What was left out so far, which is then forgotten."""
        for (reason, detail), count in sorted(self._skipped.items()):
            yield Skipped(reason, count, detail)
        self._skipped.clear()

    def _written(self, text: Any, tags: tuple[str, ...]) -> str:
        if not isinstance(text, str) or not text:
            return ""
        if tags:
            text, removed = strip_injected(text, tags)
            self.skip(Reason.INJECTED, removed)
        if len(text) > TEXT:
            self.skip(Reason.CUT)
        return cut(redact(self._sound(text[: TEXT + _MARGIN]), self._redacted).strip(), TEXT)

    def _fact(self, text: str) -> str:
        return redact(self._sound(text[: FACT + _MARGIN]), Counter())[:FACT]

    def _tool(self, name: Any) -> str:
        if not isinstance(name, str) or not name:
            return "tool"
        name = self._sound(name[:FACT])
        return name if len(name) < SHORTEST else redact(name, self._redacted)

    def _sound(self, text: str) -> str:
        text, replaced = sound(text)
        self.skip(Reason.CHARACTERS, replaced)
        return text


def cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit].rstrip()}…"
