"""TB011: a request must name a parameter that it could leave out."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import call_pairs
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each parameter that is required now, new ones included."""
    for pair in call_pairs(old, new, "input"):
        for name in pair.newly_required():
            yield pair.found(name, "is required now, and calls without it are refused; take it out of `required`")


RULE = Rule("TB011", "breaking", "A parameter is required", check)
