"""Cuts a memory into the texts that get a vector each. Pure.

A memory's score is its best vector. Measured on public conversations, a vector for each sentence with its speaker in front
brings two points of recall over one of the whole; on long abstracts sentences alone lose to the whole: so both are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

Span = tuple[int, int]
SENTENCES = 32  # at most, a memory
SENTENCE_CHARS = 400  # a longer one is cut: what follows is in the windows
SHORT = 12  # bytes under which a piece says too little to stand alone: four Han characters, a word or two of English
TITLE_CHARS = 80  # of a title in front of a sentence or window

_ends = re.compile(r"(?<=[.!?。！？])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")
_speaker = re.compile(r"(?:\[[^\]\n]{1,40}\]\s*)?([^\W\d_][\w .'’-]{0,39}):\s+")
_dated = re.compile(r"\[[^\]\n]{1,40}\]\s*")


class Part(NamedTuple):
    """One text to be embedded.

    Attributes:
        number: 0 is the whole, then the sentences, then the windows of the body.
        span: "12-340", characters of the body, for windows; "" for the others.
        head: whether it belongs to what is embedded first, so that the memory is soon found.
    """

    number: int
    span: str
    text: str
    head: bool


def split(title: str, summary: str, body: str, windows: Callable[[str], list[Span]]) -> list[Part]:
    """The parts of a memory, each text once.

    Args:
        title, summary, body: of the memory.
        windows: cuts a text into spans the model reads whole; one span means that it fits.
    """
    front = title if summary in ("", title) else f"{title}\n{summary}"
    fits = len(front) + len(body) < 400 or len(windows(f"{front}\n{body}")) <= 1
    whole = front if _bare(body) == _bare(front) else f"{front}\n{body}".strip()
    texts = [whole, *_sentences(title, summary, body)]
    parts = [Part(number, "", text, True) for number, text in enumerate(dict.fromkeys(filter(None, texts)))]
    if not fits:
        lead = _cut(title)
        for start, end in windows(body):
            text = f"{lead}\n{body[start:end]}"
            parts.append(Part(len(parts), f"{start}-{end}", text, False))
    return parts


def _sentences(title: str, summary: str, body: str) -> list[str]:
    """Sentences of summary and body with the speaker or title in front, up to the limit."""
    made: list[str] = []
    seen: set[str] = set()
    for text in (title, summary, body):
        spoken = _speaker.match(text)
        lead = f"{spoken[1]}: " if spoken else "" if text in (title, "") else f"{_cut(title)}: "
        rest = text[spoken.end() :] if spoken else _dated.sub("", text, count=1) if text is body else text
        for sentence in _cut_sentences(rest):
            if len(made) == SENTENCES:
                return made
            if (key := _bare(sentence)) not in seen:
                seen.add(key)
                made.append(lead + sentence)
    return made


def _cut_sentences(text: str) -> list[str]:
    made: list[str] = []
    for piece in _ends.split(text[: SENTENCES * SENTENCE_CHARS]):
        piece = (piece or "").strip()
        if not any(c.isalnum() for c in piece):
            continue
        if made and (_size(piece) < SHORT or _size(made[-1]) < SHORT):
            made[-1] = f"{made[-1]} {piece}"[:SENTENCE_CHARS]
        else:
            made.append(piece[:SENTENCE_CHARS])
    return made


def _cut(title: str) -> str:
    if len(title) <= TITLE_CHARS:
        return title
    return title[:TITLE_CHARS].rpartition(" ")[0] or title[:TITLE_CHARS]


def _bare(text: str) -> str:
    return " ".join(_dated.sub("", text, count=1).casefold().split())


def _size(text: str) -> int:
    return len(text.encode())
