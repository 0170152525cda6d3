"""TB031: a call that anybody could make needs a key."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each operation that was public and is not."""
    for call, now in both(old, new):
        if call.public and not now.public:
            yield Found(call.name, now.route_file, f"{call.name} needs a key now; write `security: []` again")


RULE = Rule("TB031", "breaking", "A public call needs a key", check)
