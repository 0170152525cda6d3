"""TB106: clients retry an error that they did not, or no longer do."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each error code whose retryable has changed."""
    for code, was in old.errors.items():
        is_ = new.errors.get(code)
        if is_ is not None and was.retryable != is_.retryable:
            text = f"{code} is {'' if is_.retryable else 'not '}retryable now, and clients go by that; say so in CHANGELOG.md"
            yield Found(code, "contracts/errors.yaml", text)


RULE = Rule("TB106", "warning", "An error code says otherwise whether to retry", check)
