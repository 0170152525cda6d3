"""TB004: a value that chose among branches no longer does."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each branch that is gone, with its arguments and its answer."""
    for call, now in both(old, new):
        for value in call.parts:
            if value not in now.parts:
                what = f"the branch {value}" if value else "the form without branches"
                yield Found(call.name, now.file, f"{call.name} lost {what}; add it to `branches` and inputSchema again")


RULE = Rule("TB004", "breaking", "A branch of a tool is gone", check)
