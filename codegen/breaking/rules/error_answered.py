"""TB107: an operation may answer an error code that it did not."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each error code that operations of the last release may answer now."""
    for call, now in both(old, new):
        for code in now.errors:
            if code not in call.errors:
                text = f"{code} may be answered where it was not; answer a declared code, or say in CHANGELOG.md when it comes"
                yield Found(code, now.file, text, (call.name,))


RULE = Rule("TB107", "warning", "An operation answers another error", check)
