"""TB041: an error is answered with another HTTP status."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each error code with another status."""
    for code, was in old.errors.items():
        is_ = new.errors.get(code)
        if is_ is not None and was.status != is_.status:
            text = f"{code} has the status {is_.status} instead of {was.status}; write `status: {was.status}` again"
            yield Found(code, "contracts/errors.yaml", text)


RULE = Rule("TB041", "breaking", "An error code has another status", check)
