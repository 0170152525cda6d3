"""TB201: an operation is new."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each new operation, and each that is a tool now."""
    for name, call in new.calls.items():
        if name not in old.calls:
            yield Found(
                name,
                call.route_file,
                f"{name} ({call.method} {call.path}) is new{', also as a tool' if call.tool else ''}",
            )
        elif call.tool and not old.calls[name].tool:
            yield Found(name, call.file, f"{name} is a tool now")


RULE = Rule("TB201", "harmless", "An operation is new", check)
