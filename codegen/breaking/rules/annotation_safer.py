"""TB101: clients may stop asking people before they call a tool."""

from __future__ import annotations

import json
from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import both
from codegen.breaking.release import Release
from codegen.breaking.rules.annotation_riskier import riskier


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield each annotation that reassures now."""
    for call, now in both(old, new):
        if call.tool and now.tool:
            for key in sorted({*call.annotations, *now.annotations}):
                was, is_ = call.annotations.get(key), now.annotations.get(key)
                if was != is_ and not riskier(key, is_):
                    text = f"{call.name} has {key} {json.dumps(is_)} instead of {json.dumps(was)}"
                    yield Found(
                        call.name, now.file, f"{text}; clients may call it without asking, so say so in CHANGELOG.md"
                    )


RULE = Rule("TB101", "warning", "A tool says that it does less harm", check)
