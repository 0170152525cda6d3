"""Ids of sessions and messages as every store takes them."""

from __future__ import annotations

import hashlib
import re

from .lines import sound

LONGEST = 128
_UNFIT = re.compile(r"[/\0-\x1f\x7f-\x9f]")
_RESERVED = "current"
_NOTHING = re.compile("(?!)")


def session_name(text: str) -> str:
    """A session's id: 1 to 128 characters without slash and control characters, and not the word `current`.

    One that is not so becomes so, with a hash of what it was: other ids stay other ones, in this run and the next.
    """
    return _fit(text, _UNFIT)


def message_name(text: str) -> str:
    """A message's id: 1 to 128 characters, made so as a session's is."""
    return _fit(text, _NOTHING)


def _fit(text: str, unfit: re.Pattern[str]) -> str:
    fit = unfit.sub("_", sound(text)[0])
    if fit == text and 0 < len(text) <= LONGEST and text != _RESERVED:
        return text
    mark = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest()
    return f"{fit[: LONGEST - len(mark) - 1]}-{mark}"
