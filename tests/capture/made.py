"""A transcript of Claude Code of any length, as one grows when an agent reads files and runs programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

SESSION = "99999999-9999-4999-8999-999999999999"
KEPT = 5  # messages of a turn
PROGRESS = 14  # lines of a turn that tell how a program goes on


def turns(count: int, text: Callable[[int], str]) -> Iterator[str]:
    """The lines of so many turns, without newlines: twenty a turn, together about 15 kB.

    Args:
        count: how many turns.
        text: gives a text of so many characters, another one each time if the texts should differ.
    """
    number = 0

    def line(kind: str, **more: Any) -> str:
        nonlocal number
        number += 1
        seconds = number // 10
        record = {
            "parentUuid": f"u{number - 1}" if number > 1 else None, "isSidechain": False, "cwd": "/work/demo",
            "sessionId": SESSION, "version": "2.1.30", "gitBranch": "main", "type": kind, "uuid": f"u{number}",
            "timestamp": f"2026-05-29T{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000Z",
        } | more  # fmt: skip
        return json.dumps(record)

    def said(kind: str, block: dict[str, Any], **more: Any) -> str:
        return line(kind, message={"role": kind, "content": [block]}, **more)

    for turn in range(count):
        call, result = f"t{turn}", text(10_000 if turn % 4 == 0 else 500)
        yield line("user", message={"role": "user", "content": text(200)})
        yield said("assistant", {"type": "thinking", "thinking": text(1_200), "signature": "x" * 200})
        yield said("assistant", {"type": "text", "text": text(300)})
        yield said("assistant", {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": f"{turn}.py"}})
        for _ in range(PROGRESS):
            yield line("progress", data={"type": "bash_progress", "output": text(120)})
        block = {"type": "tool_result", "tool_use_id": call, "content": result}
        yield said("user", block, toolUseResult={"type": "text", "file": {"content": result}})
        yield said("assistant", {"type": "text", "text": text(300)})
