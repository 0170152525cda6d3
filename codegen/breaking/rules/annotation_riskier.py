"""TB007: a tool says that it may do what people were not asked about when they allowed it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each annotation that lost its reassurance."""
    for call, now in both(old, new):
        if call.tool and now.tool:
            for key in sorted({*call.annotations, *now.annotations}):
                was, is_ = call.annotations.get(key), now.annotations.get(key)
                if was != is_ and riskier(key, is_):
                    text = f"{call.name} has {key} {json.dumps(is_)}, and people allowed it at {json.dumps(was)}"
                    yield Found(
                        call.name,
                        now.file,
                        f"{text}; keep `{key}: {json.dumps(was)}`, or give the new behaviour a tool of its own",
                    )


def riskier(key: str, value: bool | None) -> bool:
    """Say whether an annotation with this value is the one that clients ask people about."""
    return value is not True if key in ("readOnlyHint", "idempotentHint") else value is not False


RULE = Rule("TB007", "breaking", "A tool says that it may do more harm", check)
