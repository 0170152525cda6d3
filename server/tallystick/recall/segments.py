"""Cutting one long request into a few segments of about equal length, on sentence borders."""

import re

from .excerpt import cut

TARGET = 300
"""Characters a segment should have at least: half of the length from which a text is cut at all."""

_LABEL = 80
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])\s*|\s*\n\s*")


def segments(text: str, most: int) -> list[str]:
    """`text` in at most `most` pieces, in order, of TARGET characters or more where the text allows.

    Sentences stay whole. One that is longer than a piece should be (a log, a list without full stops) is cut on words;
    what has no border at all stays in one piece, so that the answer may have a single element.
    """
    count = max(1, min(most, len(text) // TARGET))
    share = -(-len(text) // count)
    parts = [part for sentence in _SENTENCE.split(text) if sentence for part in _shorten(sentence, share)]
    total = sum(len(part) for part in parts)
    pieces: list[list[str]] = [[] for _ in range(count)]
    before = 0
    for part in parts:
        middle = before + len(part) / 2
        pieces[min(count - 1, int(middle * count / max(total, 1)))].append(part)
        before += len(part)
    return [" ".join(piece) for piece in pieces if piece]


def label(text: str) -> str:
    """A segment's name among the topic groups: its first words."""
    return cut(" ".join(text.split()), _LABEL)[0]


def _shorten(sentence: str, share: int) -> list[str]:
    if len(sentence) <= 1.5 * share or not re.search(r"\s", sentence):
        return [sentence]
    parts = []
    rest = sentence
    while len(rest) > share:
        part = cut(rest, share)[0]
        parts.append(part)
        rest = rest[len(part) :].strip()
    return [*parts, rest] if rest else parts
