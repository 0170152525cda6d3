"""Search among vectors: exact where there are few, by Chroma where there are many; the answer looks the same.

A memory's score is the cosine of its best vector, computed from the stored vector in either case, so that it does not
depend on the way it was found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import numpy as np
import structlog

from . import memory_sql, vector_rows
from .chroma import Chroma
from .embedding import FloatArray
from .held import Held, Snapshot
from .matrix import View
from .prepared import Driver
from .records import Filter

log = structlog.get_logger(__name__)

# Vectors up to which all of them are compared. Measured at 30,000: 2 ms exactly against 4 to 7 by Chroma; they meet
# somewhere above 60,000, where a matrix takes 90 MB.
EXACT = 50_000
OVERFETCH = 2  # neighbours asked of Chroma for each memory wanted
ASKED = 200  # but at least so many
MOST_ASKED = 5_000  # and at most, where a filter lets few of them pass
FEW = 2_500  # memories that a filter leaves, up to which they are compared one by one

Ranked = list[tuple[str, float]]


class Vectors:
    """The vectors of all owners.

    Args:
        model, dimension: of the embedder; vectors of other models are not seen.
        chroma: the derived index.
        snapshot: opens a new snapshot of the database.

    Attributes:
        held: the vectors in memory, which every change is told to.
        whole: whether Chroma has everything but the fresh ones.
    """

    def __init__(self, model: str, dimension: int, chroma: Chroma, snapshot: Snapshot) -> None:
        self.model = model
        self.dimension = dimension
        self.chroma = chroma
        self.held = Held(model, dimension, snapshot)
        self.whole = False  # the indexer says so

    def nearest(
        self,
        driver: Driver,
        owner: int,
        vector: FloatArray,
        limit: int,
        allowed: Collection[str] | None,
        where: Filter | None,
    ) -> Ranked:
        """See Unit.nearest."""
        if vector.shape != (self.dimension,):
            raise ValueError(f"a vector of {vector.shape} among vectors of {self.dimension}")
        if allowed is not None and where is not None:
            allowed, where = memory_sql.passing(driver, owner, list(allowed), where), None
        exact = self.held.count(owner) <= EXACT or not self.whole
        if allowed is not None:
            if exact:
                return _ranked(_best(self.held.some(owner, allowed), vector), limit)
            return self._among(driver, owner, vector, limit, allowed)
        if exact:
            return self._exact(driver, owner, self.held.view(owner), vector, limit, where)
        return self._approximate(driver, owner, vector, limit, where)

    def _exact(
        self, driver: Driver, owner: int, view: View, vector: FloatArray, limit: int, where: Filter | None
    ) -> Ranked:
        best = view.blocks(vector)
        kept: dict[str, float] = {}
        for chunk in best_first(best, 2 * limit):
            names = [view.memories[block] for block in chunk]
            passing = None if where is None else memory_sql.passing(driver, owner, list(dict.fromkeys(names)), where)
            for block, memory_id in zip(chunk, names, strict=True):
                if passing is None or memory_id in passing:
                    kept.setdefault(memory_id, float(best[block]))
            if len(kept) >= limit:
                break
        return _ranked(kept.items(), limit)

    def _among(self, driver: Driver, owner: int, vector: FloatArray, limit: int, allowed: Collection[str]) -> Ranked:
        rows = vector_rows.by_memory(driver, owner, self.model, list(allowed))
        return _ranked(_scores(rows, vector), limit)

    def _approximate(self, driver: Driver, owner: int, vector: FloatArray, limit: int, where: Filter | None) -> Ranked:
        total, asked = self.held.count(owner), max(ASKED, OVERFETCH * limit)
        fresh = self.held.fresh(owner)
        try:
            while True:
                rows = vector_rows.by_number(driver, owner, self.model, self.chroma.nearest(owner, vector, asked))
                found = {memory_id for _, memory_id, _ in rows}
                passing = found if where is None else memory_sql.passing(driver, owner, list(found), where)
                # Half of what was wanted will do: several neighbours may belong to one memory, and asking again costs double.
                if len(passing) >= limit // 2 or asked >= min(total, MOST_ASKED):
                    break
                asked *= 4
        except Exception:
            log.exception("the vector index failed; searching exactly", owner=owner)
            return self._exact(driver, owner, self.held.view(owner), vector, limit, where)
        if not self.whole:  # a new generation was begun meanwhile
            return self._exact(driver, owner, self.held.view(owner), vector, limit, where)
        if len(passing) < limit // 2 and where is not None:
            left = memory_sql.every(driver, owner, where, FEW + 1)
            if len(left) <= FEW:
                return self._among(driver, owner, vector, limit, left)
        found_scores = [(memory_id, score) for memory_id, score in _scores(rows, vector) if memory_id in passing]
        newer = [] if fresh is None else self._exact(driver, owner, fresh, vector, limit, where)
        return _ranked([*found_scores, *newer], limit)


def best_first(best: FloatArray, size: int) -> Iterator[list[int]]:
    """Blocks in falling order, in growing chunks; dead ones are left out."""
    done = 0
    alive = int(np.count_nonzero(best > -np.inf))
    while done < alive:
        upto = min(alive, done + size)
        chosen = np.argpartition(-best, upto - 1)[:upto] if upto < len(best) else np.arange(len(best))
        order = chosen[np.argsort(-best[chosen], kind="stable")]
        yield [int(block) for block in order[done:upto]]
        done, size = upto, size * 4


def _scores(rows: list[tuple[int, str, FloatArray]], vector: FloatArray) -> Ranked:
    if not rows:
        return []
    cosines = np.vecdot(np.stack([row for _, _, row in rows]), vector)
    return [(memory_id, float(cosine)) for (_, memory_id, _), cosine in zip(rows, cosines, strict=True)]


def _best(blocks: Iterable[tuple[str, FloatArray]], vector: FloatArray) -> Iterator[tuple[str, float]]:
    for memory_id, rows in blocks:
        yield memory_id, float(np.vecdot(rows, vector).max())


def _ranked(scored: Iterable[tuple[str, float]], limit: int) -> Ranked:
    """The best `limit` memories with the best score each has, rounded to what two machines agree on."""
    best: dict[str, float] = {}
    for memory_id, score in scored:
        best[memory_id] = max(round(score, 6), best.get(memory_id, -2.0))
    return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
