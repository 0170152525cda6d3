"""TB104: keys can make a call that they could not."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.release import Release
from codegen.breaking.rules.scope_needed import scopes_of_branches


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each scope that an operation or a branch no longer needs."""
    for call, now, value, was, is_ in scopes_of_branches(old, new):
        for scope in (scope for scope in was if scope not in is_):
            text = (
                f"{call.name} {value}".strip()
                + f" no longer needs {scope}, so that keys can do more than they were made for"
            )
            yield Found(call.name, now.file, f"{text}; say so in CHANGELOG.md")


RULE = Rule("TB104", "warning", "A call needs fewer scopes", check)
