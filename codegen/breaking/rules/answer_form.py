"""TB009: an answer has another media type, or lost its Location header."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each operation whose answer is of another media type or lacks its Location."""
    for call, now in both(old, new):
        if call.produces != now.produces:
            text = f"{call.name} answers {now.produces} instead of {call.produces}; write {call.produces} again"
            yield Found(call.name, now.route_file, text)
        if call.location and not now.location:
            yield Found(call.name, now.route_file, f"{call.name} answers no Location any more; write x-location again")


RULE = Rule("TB009", "breaking", "An answer has another form", check)
