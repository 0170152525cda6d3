"""TB040: clients handle an error code that the contract no longer knows."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each error code that is gone from the catalogue."""
    for code in old.errors:
        if code not in new.errors:
            yield Found(
                code, "contracts/errors.yaml", f"{code} is gone; write it again, also where nothing answers it now"
            )


RULE = Rule("TB040", "breaking", "An error code is gone", check)
