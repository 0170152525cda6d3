"""TB003: an operation is no longer offered over MCP."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each operation that was a tool and is REST only now."""
    for call, now in both(old, new):
        if call.tool and not now.tool:
            yield Found(call.name, call.file, f"{call.name} is no tool any more; bring {call.file} back")


RULE = Rule("TB003", "breaking", "A tool is gone", check)
