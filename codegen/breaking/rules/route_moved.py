"""TB002: an operation is reached by another method or path."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each operation with another method or path."""
    for call, now in both(old, new):
        if (call.method, call.path) != (now.method, now.path):
            was, is_ = f"{call.method} {call.path}", f"{now.method} {now.path}"
            yield Found(call.name, now.route_file, f"{call.name} moved from {was} to {is_}; give it {was} again")


RULE = Rule("TB002", "breaking", "A route has moved", check)
