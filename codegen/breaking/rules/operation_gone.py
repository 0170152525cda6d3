"""TB001: an operation that the last release has is no longer there."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each operation of the last release that is gone."""
    for name, call in old.calls.items():
        if name not in new.calls:
            text = f"{name} ({call.method} {call.path}) is gone; bring its route back"
            yield Found(name, call.route_file, f"{text}, also where another operation does the same better")


RULE = Rule("TB001", "breaking", "An operation is gone", check)
