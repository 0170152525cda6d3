"""TB022: an answer may hold a value that clients of the last release do not expect, or that cannot be proved."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import call_pairs
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each place of an answer whose old schema is not proved to take what the new one allows."""
    for pair in call_pairs(old, new, "output"):
        if not pair.proved:
            yield pair.found(
                "",
                f"may answer what clients do not expect ({pair.keywords()} changed); narrow its schema so that the old one covers it",
            )


RULE = Rule("TB022", "breaking", "An answer holds more kinds of values", check)
