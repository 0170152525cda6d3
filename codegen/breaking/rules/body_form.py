"""TB008: the HTTP body has another form, fewer media types or a lower limit."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release

USUAL = 4 * 1024 * 1024  # what a server takes where a route says nothing else


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each operation that refuses bodies for their form, type or size that it took."""
    for call, now in both(old, new):
        if call.body != now.body:
            forms = {None: "no body", "*": "a body of arguments"}
            was, is_ = (forms.get(body, f"the argument {body} as its body") for body in (call.body, now.body))
            yield Found(
                call.name, now.route_file, f"{call.name} takes {is_} instead of {was}; write the route as it was"
            )
            continue
        for media in call.media:
            if media not in now.media:
                text = f"{call.name} no longer takes {media}; add it to requestBody.content again"
                yield Found(call.name, now.route_file, text)
        if _limit(now.max_body) < _limit(call.max_body):
            text = (
                f"{call.name} takes {now.max_body or 'the usual'} bytes of body, it took {call.max_body or 'the usual'}"
            )
            yield Found(call.name, now.route_file, f"{text}; write x-max-body as it was")


def _limit(size: int | None) -> int:
    return USUAL if size is None else size


RULE = Rule("TB008", "breaking", "A body is refused that was taken", check)
