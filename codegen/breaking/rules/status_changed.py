"""TB005: a successful call answers another HTTP status."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each operation whose success has another status."""
    for call, now in both(old, new):
        if call.status != now.status:
            text = (
                f"{call.name} answers {now.status} instead of {call.status}; write {call.status} under responses again"
            )
            yield Found(call.name, now.route_file, text)


RULE = Rule("TB005", "breaking", "A success has another status", check)
