"""Topic fan-out: a broad request becomes one focused search a topic instead of a single blurred one.

The thresholds, the table of results and the shape of the groups are those of the Nexus documentation. Topics are hints:
they alone never start a fan-out, and one that breaks a rule is dropped and named, never refused.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from .segments import label, segments

MIN_LENGTH = 200
"""Characters of searched text below which nothing fans out."""
LENGTH_THRESHOLD = 600
"""Characters of searched text from which it fans out without topics."""
MAX_WORDS = 10
MAX_BRANCHES = 5

PER_TOPIC = {1: 10, 2: 8, 3: 7, 4: 6, 5: 6}
MAX_TOTAL = {1: 10, 2: 16, 3: 21, 4: 24, 5: 30}

Hit = tuple[str, float]
"""A memory's id and its confidence for one search."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One search: the name it goes by in topic_groups, and the text it looks for."""

    topic: str
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The searches of one recall, and the topics that were not used."""

    branches: tuple[Branch, ...]
    dropped: tuple[str, ...]

    @property
    def fanned_out(self) -> bool:
        return len(self.branches) > 1

    @property
    def per_topic(self) -> int:
        return PER_TOPIC[len(self.branches)]

    @property
    def max_total(self) -> int:
        return MAX_TOTAL[len(self.branches)]


@dataclass(frozen=True, slots=True)
class Group:
    """What one topic found, best first: an entry of topic_groups."""

    topic: str
    memory_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """The results of all branches as one list: (memory id, confidence), each id once; no groups without fan-out."""

    memories: tuple[Hit, ...]
    groups: tuple[Group, ...]


def searched_text(query: str, user_query_full: str | None, use_full_query: bool = True) -> str:
    """The text to search with: the verbatim message where there is one and it is wanted, else the query."""
    full = (user_query_full or "").strip()
    return full if full and use_full_query else query.strip()


def plan(text: str, topics: str | None = None) -> Plan:
    """How to search for `text` with the comma-separated `topics`.

    Fans out when the text has at least 200 characters and there are two distinct topics or 600 characters. The
    branches are the topics; where there are fewer than two, the text itself is cut into segments on sentence borders,
    behind the topic if there is one, five branches at most. A text that cannot be cut stays one search.
    """
    text = text.strip()
    kept, dropped = _select(topics or "")
    whole = Plan((Branch(label(text), text),), dropped)
    if len(text) < MIN_LENGTH:
        return whole
    branches = [Branch(topic, topic) for topic in kept]
    if len(branches) < 2:
        if len(text) < LENGTH_THRESHOLD:
            return whole
        pieces = segments(text, MAX_BRANCHES - len(branches))
        if len(pieces) < 2:
            return whole
        branches += [Branch(label(piece), piece) for piece in pieces]
    return Plan(tuple(branches), dropped)


def merge(plan: Plan, results: Sequence[Sequence[Hit]]) -> Merged:
    """The results of `plan`, one ranked list a branch, as one list in which each memory stands once.

    The lists are taken in turns, first places first, since the orders of different searches do not compare; so each
    topic is represented at the top. A memory that several topics found has the highest of its confidences.
    Raises ValueError if there is not one list for each branch.
    """
    if len(results) != len(plan.branches):
        raise ValueError(f"{len(plan.branches)} branches, but {len(results)} results")
    shares = [found[: plan.per_topic] for found in results]
    confidences: dict[str, float] = {}
    for row in zip_longest(*shares):
        for memory_id, confidence in filter(None, row):
            confidences[memory_id] = max(confidence, confidences.get(memory_id, 0.0))
    groups = tuple(
        Group(branch.topic, tuple(memory_id for memory_id, _ in found))
        for branch, found in zip(plan.branches, shares, strict=True)
    )
    return Merged(tuple(confidences.items()), groups if plan.fanned_out else ())


def _select(topics: str) -> tuple[list[str], tuple[str, ...]]:
    """The topics to use, and those that break a rule; of equal ones only the first counts."""
    kept: list[str] = []
    dropped: list[str] = []
    seen: set[str] = set()
    for piece in topics.split(","):
        topic = " ".join(piece.split())
        folded = unicodedata.normalize("NFKC", topic).casefold()
        if not topic or folded in seen:
            continue
        seen.add(folded)
        usable = len(topic.split()) <= MAX_WORDS and len(kept) < MAX_BRANCHES
        (kept if usable else dropped).append(topic)
    return kept, tuple(dropped)
