"""TB105: a call that needed a key is open to anybody."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each operation that needed a key and is public."""
    for call, now in both(old, new):
        if now.public and not call.public:
            text = f"{call.name} is open to anybody now; take `security: []` out, or say so in CHANGELOG.md"
            yield Found(call.name, now.route_file, text)


RULE = Rule("TB105", "warning", "A call needs no key", check)
