"""TB020: an answer lacks a field that it always had."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import call_pairs
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each required field of an answer that is gone, in nested objects as well."""
    for pair in call_pairs(old, new, "output"):
        for name in pair.no_longer_required():
            if name in pair.gone():
                yield pair.found(name, "is gone from the answer, where it always was; answer it again")


RULE = Rule("TB020", "breaking", "A field of an answer is gone", check)
