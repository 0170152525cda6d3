"""Sizes that a schema cannot check, since it counts characters."""

from __future__ import annotations

from tallystick_contract.errors import Code

from ..problem import Problem

MAX_TEXT = 1024 * 1024  # bytes of UTF-8 that the text of one memory may have


def check_text_size(name: str, text: str) -> None:
    """Raise Problem(PAYLOAD_TOO_LARGE) where the text of a memory has more than 1 MiB of UTF-8."""
    size = len(text.encode())
    if size > MAX_TEXT:
        raise Problem(Code.PAYLOAD_TOO_LARGE, f"/{name} has {size} bytes of UTF-8; one memory has at most {MAX_TEXT}.")
