"""TB032: keys have a scope that the contract no longer knows."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each scope that is gone."""
    for scope in old.scopes:
        if scope not in new.scopes:
            yield Found(
                scope,
                "contracts/openapi.yaml",
                f"the scope {scope} is gone, and keys have it; list it in x-scopes again",
            )


RULE = Rule("TB032", "breaking", "A scope is gone", check)
