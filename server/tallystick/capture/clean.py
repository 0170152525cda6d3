"""Taking out what no person wrote or saw: blocks that tools inject, and what our own memory tools said.

A memory server that captures its own answers recalls them as if somebody had said them, then captures that. So the
result of a memory tool is dropped and its call is kept as a bare name.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

INJECTED = (
    "system-reminder", "task-notification",
    # memory tools, ours first
    "tallystick-memory", "tallystick-context", "memory-context", "relevant-memories", "claude-mem-context",
    "supermemory-context", "mem0-memories",
)  # fmt: skip
"""Tags of blocks that are taken out wherever they stand. A client's reader adds those of its own client, for prompts."""

MEMORY_TOOLS = frozenset({
    "recall_context", "search_memories", "get_memory_detail", "store_context", "recall_memory", "update_user_facts",
    "get_user_facts", "get_persona_definition", "list_memories", "edit_memory", "get_help",
})  # fmt: skip
"""Our tools whose inputs and answers are memory. Ones that ask another system (Linear) are not: their answers are news."""

_MEMORY_PREFIX = "memvault_"
_COMMAND = re.compile(r"<command-(name|message|args|contents)>(.*?)</command-\1>\s*", re.DOTALL)
_COMMAND_OUTPUT = re.compile(r"</?local-command-std(?:out|err)>")
_BLANKS = re.compile(r"\n{3,}")


def strip_injected(text: str, tags: tuple[str, ...] = INJECTED) -> tuple[str, int]:
    """(`text` without blocks of these tags, how many were taken out). What is not closed stays: it may be prose."""
    if "<" not in text:
        return text, 0
    removed = 0
    for tag in tags:
        if f"<{tag}" in text:
            text, count = _strip_blocks(text, tag)
            removed += count
    return (_BLANKS.sub("\n\n", text).strip(), removed) if removed else (text, 0)


def _strip_blocks(text: str, tag: str) -> tuple[str, int]:
    kept, count, done = [], 0, 0
    for start, end in _blocks(text, tag):
        if start >= done:
            kept.append(text[done:start])
            count, done = count + 1, end
    return "".join([*kept, text[done:]]), count


def _blocks(text: str, tag: str) -> list[tuple[int, int]]:
    """Where the blocks of a tag begin and end: at the closing tag that belongs to them, or at the first one where the text
    of a block only mentions the tag, so that some are never closed."""
    ends: dict[int, int] = {}
    closed: list[tuple[int, int]] = []  # where closing tags begin and end
    opened: list[int] = []
    for match in re.finditer(rf"<(/?){tag}(?=[>\s])[^<>]*>", text):
        if not match[1]:
            opened.append(match.start())
            ends[match.start()] = -1
        else:
            closed.append(match.span())
            if opened:
                ends[opened.pop()] = match.end()
    following = 0
    for start in ends:
        while following < len(closed) and closed[following][0] < start:
            following += 1
        if ends[start] < 0 and following < len(closed):
            ends[start] = closed[following][1]
    return [(start, end) for start, end in ends.items() if end > 0]


def as_typed(text: str) -> str:
    """A slash command as it was typed, and what it printed, out of the tags that Claude Code keeps them in."""
    if "<local-command-std" in text:
        text = _COMMAND_OUTPUT.sub("", text)
    if "<command-" not in text:
        return text
    found = {match.group(1): match.group(2).strip() for match in _COMMAND.finditer(text)}
    typed = " ".join(part for part in (found.get("name", ""), found.get("args", "")) if part)
    return f"{typed}\n{_COMMAND.sub('', text)}".strip()


@lru_cache(1024)
def is_memory_tool(name: str) -> bool:
    """Whether a tool's name, in whatever form a client prefixes it with its server's, is one of our memory tools."""
    tail = re.split(r"__|[./:]", name)[-1]
    if tail in MEMORY_TOOLS or tail.startswith(_MEMORY_PREFIX):
        return True
    # Gemini, OpenCode and Cursor join server and tool with one underscore or a dash.
    return f"_{_MEMORY_PREFIX}" in tail or any(tail.endswith((f"_{tool}", f"-{tool}")) for tool in MEMORY_TOOLS)


def compact(value: Any) -> str:
    """A tool's input on one line: JSON, or the string itself where it is one (JSON in a string is tidied)."""
    if isinstance(value, str):
        return " ".join(value.split())
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str)
