"""TB015: a write that could be repeated by its operation key no longer can."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each operation that was a write and is none now."""
    for call, now in both(old, new):
        if call.writes and not now.writes:
            text = f"{call.name} takes no operation_key any more, since it only reads; keep readOnlyHint false, or on a route x-reads"
            yield Found(call.name, now.file, text)


RULE = Rule("TB015", "breaking", "An operation takes no operation key", check)
