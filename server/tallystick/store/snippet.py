"""Snippets: from a passage of folded text with its hits marked to the same passage of the original. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .text import CJK, words_of

START, END = "\ufdd0", "\ufdd1"  # noncharacters: no text has them
TOKENS = 32  # of a passage
CHARS = 240  # of a snippet at most, marks aside
BEFORE = 80  # characters kept before the first hit
MARK = "**"
MORE = "..."
Range = tuple[int, int]

_line = re.compile(r"[^\n]*\n|[^\n]+")
_piece = re.compile(r"\s+|\S+")
_atom = re.compile(rf"\s+|[{CJK}]|\.?[^\W{CJK}]+[+#]*|.", re.DOTALL)


def snippet(original: str, passage: str, folded: str | None = None) -> str | None:
    """A piece of a text with its hits between `**`; None where the passage marks none.

    Args:
        original: the whole text.
        passage: a passage of the indexed text, each hit between START and END.
        folded: the whole indexed text; None where that is the original.
    """
    if START not in passage:
        return None
    plain, hits = _unmarked(passage)
    at = max(0, (original if folded is None else folded).find(plain))
    hits = [(start + at, end + at) for start, end in hits]
    begin, end = at, at + len(plain)
    if folded is not None:
        (begin, end), *hits = _original_places(original, [(begin, end), *hits])
    return _shown(original, begin, end, hits)


def beginning(original: str) -> str:
    """A snippet without hits."""
    return _shown(original, 0, len(original), [])


def _unmarked(passage: str) -> tuple[str, list[Range]]:
    plain, hits = "", []
    for part in passage.split(START):
        hit, ended, rest = part.partition(END)
        if ended:
            hits.append((len(plain), len(plain) + len(hit)))
        plain += hit + rest
    return plain, hits


def _original_places(original: str, ranges: list[Range]) -> list[Range]:
    """Where in the original the ranges of the folded text come from: from the atom a range begins in to the one it ends in."""
    last = max(end for _, end in ranges)
    first = min(start for start, _ in ranges)
    starts: list[int | None] = [None] * len(ranges)
    ends = [len(original)] * len(ranges)
    for origin, length, place, folded_length in _atoms(original, first, last):
        for i, (start, end) in enumerate(ranges):
            if place <= start < place + folded_length and starts[i] is None:
                starts[i] = origin
            if place < end <= place + folded_length:
                ends[i] = origin + length
    return [(0 if start is None else start, end) for start, end in zip(starts, ends, strict=True)]


def _atoms(original: str, first: int, last: int) -> Iterator[tuple[int, int, int, int]]:
    """(place, length, place in the folded text, length there) of the atoms of the original from `first` to `last` there.

    Folding a text folds its lines, and their blank-separated pieces, each by itself; below that it is tried.
    """
    place = 0
    for line in _line.finditer(original):
        size = len(words_of(line[0]))
        if place + size > first or not size:
            inner = place
            for piece in _piece.finditer(line[0]):
                for start, length, folded in _parts(piece[0]):
                    yield line.start() + piece.start() + start, length, inner, folded
                    inner += folded
        place += size
        if place > last:
            return


def _parts(piece: str) -> Iterable[tuple[int, int, int]]:
    whole = len(words_of(piece))
    if len(piece) == 1 or whole == 0:
        return [(0, len(piece), whole)]
    parts = [(atom.start(), len(atom[0]), len(words_of(atom[0]))) for atom in _atom.finditer(piece)]
    return parts if sum(folded for _, _, folded in parts) == whole else [(0, len(piece), whole)]


def _shown(original: str, begin: int, end: int, hits: list[Range]) -> str:
    if hits and hits[0][0] - begin > BEFORE:
        begin = _forward(original, hits[0][0] - BEFORE, hits[0][0])
    if end - begin > CHARS:
        end = _back(original, begin, begin + CHARS)
    made, at = ["" if begin == 0 else MORE], begin
    for start, stop in hits:
        start, stop = max(start, at), min(stop, end)
        while start < stop and original[start].isspace():
            start += 1
        while stop > start and original[stop - 1].isspace():
            stop -= 1
        if start < stop:
            made += [original[at:start], MARK, original[start:stop], MARK]
            at = stop
    made += [original[at:end], "" if end == len(original) else MORE]
    return "".join(made)


def _forward(text: str, at: int, most: int) -> int:
    """The beginning of the next word, if there is one before `most`."""
    blank = next((i for i in range(at, most) if text[i].isspace()), None)
    return at if blank is None else blank + 1


def _back(text: str, least: int, at: int) -> int:
    """The end of the word before, if there is one after the middle."""
    if at >= len(text) or text[at].isspace():
        return at
    blank = next((i for i in range(at, (least + at) // 2, -1) if text[i].isspace()), None)
    return at if blank is None else blank
