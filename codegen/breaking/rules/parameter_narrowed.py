"""TB012: a value is refused that was taken, or that cannot be proved."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import call_pairs
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each place of a request whose new schema is not proved to take what the old one took."""
    for pair in call_pairs(old, new, "input"):
        if not pair.proved:
            yield pair.found(
                "",
                f"may refuse what it took ({pair.keywords()} changed); widen its schema so that it covers the old one",
            )


RULE = Rule("TB012", "breaking", "A parameter takes less", check)
