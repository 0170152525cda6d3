"""TB021: an answer may lack a field that it always had."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import call_pairs
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each field of an answer that was required and is not."""
    for pair in call_pairs(old, new, "output"):
        for name in pair.no_longer_required():
            if name not in pair.gone():
                yield pair.found(name, "may be absent now, where it always was; put it into `required` again")


RULE = Rule("TB021", "breaking", "A field of an answer may be absent", check)
