"""Shortening a text without breaking a word, an accent or an emoji. Lengths are counted in code points."""

import unicodedata

LEAD = 1200
"""How much of a body becomes its summary, and of a summary is shown in a list (the contract)."""

_JOINER = "\u200d"
_CJK = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
_LONGEST_CLUSTER = 64


def cut(text: str, limit: int) -> tuple[str, bool]:
    """(the beginning of `text` in at most `limit` code points, whether anything but blanks was left out).

    Cuts where a word ends; scripts that write without blanks may be cut between any two characters. A single word
    that fills more than half of the limit is cut inside, but never within a character that people see as one: a base
    and its marks, a flag, a family joined by ZWJ. Nothing is added, no ellipsis: what is shown is in the text.
    Raises ValueError for a limit below 1.
    """
    if limit < 1:
        raise ValueError("limit must be at least 1")
    if len(text) <= limit:
        return text, False
    end = next((at for at in range(limit, limit // 2, -1) if _between_words(text, at)), 0)
    if not end:
        end = next(
            (at for at in range(limit, max(limit - _LONGEST_CLUSTER, 0), -1) if _between_clusters(text, at)), limit
        )
    return text[:end].rstrip(), bool(text[end:].strip())


def first_paragraphs(body: str, limit: int = LEAD) -> tuple[str, bool]:
    """The first paragraphs of `body` as its summary: without leading blank lines, `cut` at `limit`."""
    return cut(body.strip(), limit)


def _between_words(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if before.isspace() or after.isspace():
        return True
    return (_is_cjk(before) or _is_cjk(after)) and _between_clusters(text, at)


def _between_clusters(text: str, at: int) -> bool:
    """Whether a reader sees two characters at this border: the common rules of Unicode's UAX 29, without its tables."""
    before, after = text[at - 1], text[at]
    if before == "\r" and after == "\n":
        return False
    if _JOINER in (before, after) or _extends(after):
        return False
    if _is_flag_letter(before) and _is_flag_letter(after):
        start = at
        while start and _is_flag_letter(text[start - 1]):
            start -= 1
        return (at - start) % 2 == 0
    return not ("\u1100" <= before <= "\u11ff" and "\u1160" <= after <= "\u11ff")


def _extends(char: str) -> bool:
    """Marks, variation selectors, skin tones and the letters of subdivision flags belong to what precedes them."""
    code = ord(char)
    return unicodedata.category(char) in {"Mn", "Mc", "Me"} or 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _is_cjk(char: str) -> bool:
    code = ord(char)
    return code >= _CJK[0][0] and any(first <= code <= last for first, last in _CJK)
