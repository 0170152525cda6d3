"""TB102: a call that leaves a parameter out is told now what that means."""

from __future__ import annotations

import json
from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import call_pairs
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each parameter that had no default and has one."""
    for pair in call_pairs(old, new, "input"):
        for name in pair.kept():
            was, is_ = pair.defaults(name)
            if was is None and is_ is not None:
                yield pair.found(
                    name, f"has the default {json.dumps(is_)} now; if calls without it did something else, take it out"
                )


RULE = Rule("TB102", "warning", "A parameter has got a default", check)
