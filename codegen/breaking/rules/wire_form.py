"""TB006: another family or form of arguments: MCP carries arguments or failures in another form."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each tool with another family or another form of arguments."""
    for call, now in both(old, new):
        if not (call.tool and now.tool):
            continue
        for key in ("family", "arguments"):
            was, is_ = getattr(call, key), getattr(now, key)
            if was != is_:
                yield Found(
                    call.name, now.file, f"{call.name} has {key} {is_} instead of {was}; write `{key}: {was}` again"
                )


RULE = Rule("TB006", "breaking", "A tool has another wire form", check)
