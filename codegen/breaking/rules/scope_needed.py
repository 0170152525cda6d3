"""TB030: keys that could make a call no longer can."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Call, Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each scope that an operation or a branch needs now."""
    for call, now in both(old, new):
        for value, was, is_ in changes(call, now):
            for scope in (scope for scope in is_ if scope not in was):
                what = f"{call.name} {value}".strip()
                yield Found(
                    call.name, now.file, f"{what} needs {scope} now, which keys in use may lack; take it out of scopes"
                )


def changes(call: Call, now: Call) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the scopes of an operation, then of each branch that both contracts know, as they were and as they are."""
    for value in {**call.scopes, **now.scopes}:
        if not value or (value in call.parts) == (value in now.parts):
            yield value, call.scopes.get(value, call.scopes[""]), now.scopes.get(value, now.scopes[""])


RULE = Rule("TB030", "breaking", "A call needs another scope", check)
