"""TB204: an error code or a scope is new."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each new error code and each new scope."""
    for code in new.errors:
        if code not in old.errors:
            yield Found(code, "contracts/errors.yaml", f"the error code {code} is new")
    for scope in new.scopes:
        if scope not in old.scopes:
            yield Found(scope, "contracts/openapi.yaml", f"the scope {scope} is new")


RULE = Rule("TB204", "harmless", "A code or a scope is new", check)
