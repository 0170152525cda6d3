"""The facts document of a user: merging a patch into it, and how large it may become. Pure functions."""

import json
from typing import Any, overload

MAX_BYTES = 4096
"""What the merged document may measure, as UTF-8 bytes of compact JSON."""


@overload
def merge_patch(target: object, patch: dict[str, Any]) -> dict[str, Any]: ...
@overload
def merge_patch(target: object, patch: object) -> object: ...
def merge_patch(target: object, patch: object) -> object:
    """`target` with the JSON merge patch `patch` applied, exactly as RFC 7396 (section 2) defines it.

    Objects merge, every other value replaces, and a null member of a patch removes that member. Nulls inside an array
    are values, since arrays are replaced whole. A null member within a new object removes too, so it is never stored.
    Neither argument is changed; the result may share parts with both.
    """
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge_patch(merged.get(name), value)
    return merged


def size(document: dict[str, Any]) -> int:
    """The UTF-8 bytes of `document` as compact JSON: what MAX_BYTES limits, so that CJK counts as it weighs."""
    return len(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode())
