"""TB014: a call that leaves a parameter out means something else."""

from __future__ import annotations

import json
from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import call_pairs
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each parameter whose default has changed or is gone."""
    for pair in call_pairs(old, new, "input"):
        for name in pair.kept():
            was, is_ = pair.defaults(name)
            if was is not None and was != is_:
                now, before = "none" if is_ is None else json.dumps(is_), json.dumps(was)
                yield pair.found(name, f"has the default {now} instead of {before}; write `default: {before}` again")


RULE = Rule("TB014", "breaking", "A default has changed", check)
