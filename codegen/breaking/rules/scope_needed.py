"""TB030: keys that could make a call no longer can."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.containment import covers
from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Call, Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each scope that an operation or a branch needs now."""
    for call, now, value, was, is_ in scopes_of_branches(old, new):
        for scope in (scope for scope in is_ if scope not in was):
            text = f"{call.name} {value}".strip() + f" needs {scope} now, which keys in use may lack"
            yield Found(call.name, now.file, f"{text}; take it out of scopes")


def scopes_of_branches(old: Release, new: Release) -> Iterator[tuple[Call, Call, str, list[str], list[str]]]:
    """Yield each operation with "" or a branch's value that both take, and the scopes as they were and as they are."""
    for call, now in both(old, new):
        for value in {**call.scopes, **now.scopes}:
            if not value or (_takes(call, value, now.branch, old) and _takes(now, value, call.branch, new)):
                yield call, now, value, call.scopes.get(value, call.scopes[""]), now.scopes.get(value, now.scopes[""])


def _takes(call: Call, value: str, argument: str | None, release: Release) -> bool:
    if value in call.scopes:
        return True
    properties = call.parts[""].input.get("properties", {}) if "" in call.parts else {}
    chosen = properties.get(call.branch or argument)
    return chosen is not None and covers(chosen, release.schemas, {"const": value}, {})


RULE = Rule("TB030", "breaking", "A call needs another scope", check)
