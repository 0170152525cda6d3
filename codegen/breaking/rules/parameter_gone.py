"""TB010: a request may no longer name a parameter that it could."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import call_pairs
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each parameter that is gone, in nested objects as well."""
    for pair in call_pairs(old, new, "input"):
        # An object that is open goes on taking what it no longer names.
        for name in pair.refused():
            yield pair.found(
                name,
                "is gone, and calls that name it are refused; take it back, and say in its description what became of it",
            )


RULE = Rule("TB010", "breaking", "A parameter is gone", check)
