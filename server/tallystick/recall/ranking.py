"""One order out of two searches: words (BM25) and meaning (cosines), and how far to trust a hit."""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

Candidate = tuple[str, float]
"""A memory's id and its measure in one search: BM25 above zero, or a cosine."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Every number of the ranking, each with where it comes from.

    "Measured" is evidence retrieval over LoCoMo's ten conversations, 1,536 questions, each turn a memory, with the
    embedding model that ships. Leaving one conversation out each time, tuning picked the same weights.
    """

    lexical: float = 0.3
    """Share of BM25 divided by the best BM25 of the query. Measured: R@10 76.7; BM25 alone 71.6."""
    cosine: float = 0.7
    """Share of the best cosine of a memory's vectors. Measured with `lexical`; reciprocal rank fusion 72.5 to 75.4."""
    candidates: int = 100
    """How many candidates each of the two searches should give. Measured: the lists that were fused had this length."""
    steepness: float = 10.0
    """How fast confidence rises with the cosine. Chosen by hand, not measured."""
    even: float = 0.35
    """The cosine at which a memory that shares no word is as likely wanted as not. Chosen by hand, after a look at some
    forty pairs with the model that ships: wanted ones had .33 to .64, others seldom above .15."""
    words: float = 2.0
    """What sharing every word of the query adds, in the same unit (log odds). Chosen by hand, not measured."""
    unknown: float = 0.2
    """The cosine taken for a memory whose vector is not there yet: that of texts with little in common. By hand."""


WEIGHTS = Weights()


@dataclass(frozen=True, slots=True)
class Ranked:
    """One memory of the fused list. The score orders the results of one query; it means nothing across queries."""

    id: str
    score: float
    cosine: float | None


def fuse(
    lexical: Iterable[Candidate],
    vectors: Iterable[Candidate],
    weights: Weights = WEIGHTS,
    *,
    waiting: Collection[str] = (),
) -> list[Ranked]:
    """The union of both candidate lists, best first.

    score = .3 x BM25 / highest BM25 + .7 x cosine. A memory missing from the lexical list has no BM25; one missing
    from the vector list takes that list's lowest cosine, since it can only be below. One in `waiting` has no vector yet,
    so nothing is known of its meaning: its words speak for it, and its place between the list's lowest and highest cosine
    is that of its BM25 between none and the highest. Of an id given twice the better value counts. Equal scores put the
    later id first: ids are ordered by time, so that is the newer memory.
    """
    words, meaning = _best(lexical), _best(vectors)
    top = max(words.values(), default=0.0)
    floor, ceiling = min(meaning.values(), default=0.0), max(meaning.values(), default=0.0)
    unknown = [memory_id for memory_id in waiting if memory_id in words and memory_id not in meaning and top > 0]
    guessed = {memory_id: floor + (ceiling - floor) * words[memory_id] / top for memory_id in unknown}
    ranked = [
        Ranked(
            memory_id,
            weights.lexical * (words.get(memory_id, 0.0) / top if top > 0 else 0.0)
            + weights.cosine * meaning.get(memory_id, guessed.get(memory_id, floor)),
            meaning.get(memory_id),
        )
        for memory_id in {**words, **meaning}
    ]
    return sorted(ranked, key=lambda one: (one.score, one.id), reverse=True)


def confidence(cosine: float | None, covered: float, weights: Weights = WEIGHTS) -> float:
    """How likely a memory is what the query wants, 0 to 1, comparable across queries.

    Depends on the query and the memory only, never on what else is stored: `cosine` is the memory's true cosine to the
    query (None only while it has no vector yet, not for one that a shortened list left out), `covered` the
    share of the query's words that the memory holds, 0 to 1 (`Memories.coverage`).
    Both only ever raise it. The same query and memory always give the same.

    The calibration is provisional: a logistic curve whose numbers were chosen by hand, not fitted to judged answers.
    Read it as an order with sensible ends, not as a frequency.
    """
    seen = weights.unknown if cosine is None else cosine
    odds = weights.steepness * (seen - weights.even) + weights.words * covered
    # Four places: vector arithmetic differs in the last bits between processors, answers should not.
    return round(1 / (1 + math.exp(-odds)), 4)


def _best(candidates: Iterable[Candidate]) -> dict[str, float]:
    best: dict[str, float] = {}
    for memory_id, value in candidates:
        best[memory_id] = max(value, best.get(memory_id, value))
    return best
