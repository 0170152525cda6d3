"""TB104: keys can make a call that they could not."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release
from codegen.breaking.rules.scope_needed import changes


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each scope that an operation or a branch no longer needs."""
    for call, now in both(old, new):
        for value, was, is_ in changes(call, now):
            for scope in (scope for scope in was if scope not in is_):
                what = f"{call.name} {value}".strip()
                text = f"{what} no longer needs {scope}, so that keys can do more than they were made for; say so in CHANGELOG.md"
                yield Found(call.name, now.file, text)


RULE = Rule("TB104", "warning", "A call needs fewer scopes", check)
