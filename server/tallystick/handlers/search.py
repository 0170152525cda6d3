"""One focused search: candidates from words and from meaning, ranked, each with its confidence."""

from __future__ import annotations

from concurrent.futures import Future

from ..recall.ranking import WEIGHTS, confidence, fuse
from ..recall.topics import Hit
from ..store import Filter, FloatArray, Unit


def search(unit: Unit, text: str, coming: Future[FloatArray], limit: int, where: Filter) -> list[Hit]:
    """The memories that fit `text`, best first.

    Args:
        unit: a snapshot of the owner's memories.
        text: what is looked for.
        coming: its vector, from `unit.embed_soon`; words are searched while it is made.
        limit: how many at most.
        where: which memories count.

    Returns:
        (memory id, confidence 0 to 1).
    """
    lexical = unit.memories.lexical(text, WEIGHTS.candidates, where)
    vector = coming.result()
    # A query in a script that the model does not read has no vector: then words alone decide.
    vectors = unit.nearest(vector, WEIGHTS.candidates, where=where) if vector.any() else []
    # What only words found has a cosine below the list's lowest one, or no vector yet: just stored, and not embedded.
    listed = {memory_id for memory_id, _ in vectors}
    unlisted = [memory_id for memory_id, _ in lexical if memory_id not in listed]
    embedded = unit.embedded(unlisted) if vectors else set()
    ranked = fuse(lexical, vectors, waiting=[i for i in unlisted if i not in embedded])[:limit]
    # The confidence wants the true cosine of those with a vector, however low.
    unseen = [one.id for one in ranked if one.cosine is None and one.id in embedded]
    cosines = dict(unit.nearest(vector, len(unseen), allowed=unseen)) if unseen else {}
    shares = unit.memories.coverage(text, [one.id for one in ranked])
    return [
        (one.id, confidence(cosines.get(one.id) if one.cosine is None else one.cosine, shares.get(one.id, 0.0)))
        for one in ranked
    ]
