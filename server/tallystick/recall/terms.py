"""The terms of a memory that tell most about it, and which of them a title holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

MOST = 8  # terms
NEEDED = 2  # of them in a title, for the two to be related
SHORTEST = 4  # letters of a word; names with a digit or a sign in them may be shorter
WEIGHTS = {"title": 6, "tags": 4, "summary": 3, "body": 1}
OFTEN = 5  # times that a word counts in the body

_word = re.compile(r"[^\W_]+(?:[-_./][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Related:
    """A title that has some of the terms, the strongest first."""

    place: int  # among the titles
    terms: tuple[str, ...]
    score: int


def strongest(title: str, summary: str, body: str, tags: Iterable[str], stop: Collection[str]) -> list[str]:
    """Up to eight terms, the strongest first: words that stand in the title, the tags and the summary count most.

    Args:
        title, summary, body, tags: the memory's.
        stop: words that say nothing, in lower case.
    """
    score: Counter[str] = Counter()
    parts = {"title": title, "tags": " ".join(tags), "summary": summary, "body": body}
    for name, text in parts.items():
        counted = Counter(word for word in map(str.lower, _word.findall(text)) if _tells(word, stop))
        for word, times in counted.items():
            score[word] += WEIGHTS[name] * min(times, OFTEN if name == "body" else 1)
    return sorted(score, key=lambda word: (-score[word], -len(word), word))[:MOST]


def related(terms: Sequence[str], titles: Sequence[str], most: int) -> list[Related]:
    """The titles that have enough of the terms, the nearest first: two of them, or the only one there is."""
    needed = min(NEEDED, len(terms))
    found = []
    for place, title in enumerate(titles):
        folded = title.lower()
        held = tuple(term for term in terms if term in folded)
        if held and len(held) >= needed:
            found.append(Related(place, held, sum(len(terms) - terms.index(term) for term in held)))
    return sorted(found, key=lambda each: (-each.score, each.place))[:most]


def _tells(word: str, stop: Collection[str]) -> bool:
    if word in stop or word.isdigit():
        return False
    return len(word) >= SHORTEST or (len(word) > 1 and not word.isascii()) or any(c.isdigit() for c in word)
