"""TB203: an answer holds a field that clients pass over."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import call_pairs
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each new field of an answer."""
    for pair in call_pairs(old, new, "output"):
        for name in pair.added():
            yield pair.found(name, "is a new field of the answer")


RULE = Rule("TB203", "harmless", "A field of an answer is new", check)
