"""TB103: an answer never has a field that it could have."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import call_pairs
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each optional field of an answer that is gone."""
    for pair in call_pairs(old, new, "output"):
        for name in pair.gone():
            if name not in pair.no_longer_required():
                yield pair.found(
                    name, "never comes any more; answer it again, or say in CHANGELOG.md what is there instead"
                )


RULE = Rule("TB103", "warning", "An optional field of an answer is gone", check)
