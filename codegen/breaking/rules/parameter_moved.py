"""TB013: a parameter travels in another part of the HTTP request."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each parameter that moved between path, query and body."""
    for call, now in both(old, new):
        for name in call.parts.get("", next(iter(call.parts.values()))).input.get("properties", {}):
            was, is_ = call.parameters.get(name, "body"), now.parameters.get(name, "body")
            known = name in now.parts.get("", next(iter(now.parts.values()))).input.get("properties", {})
            if known and was != is_:
                text = f"{call.name}: {name} moved from the {was} to the {is_}; write it in the {was} again"
                yield Found(call.name, now.route_file, text)


RULE = Rule("TB013", "breaking", "A parameter has moved", check)
