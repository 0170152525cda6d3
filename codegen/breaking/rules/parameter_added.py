"""TB202: a request may name a parameter that it could not."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import call_pairs
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each new parameter that may be left out."""
    for pair in call_pairs(old, new, "input"):
        for name in pair.added():
            if name not in pair.new.get("required", []):
                yield pair.found(name, "is a new parameter that may be left out")


RULE = Rule("TB202", "harmless", "A parameter is new", check)
