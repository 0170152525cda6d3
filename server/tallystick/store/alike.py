"""Memories that are nearly alike, so that someone may merge them. Found by the indexer, one memory at a time, when its vectors
are made; what is found is kept until one of the two changes its text or goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import bindparam, delete, or_, select
from sqlalchemy.dialects.sqlite import insert

from .clock import now, to_text
from .embedding import FloatArray
from .prepared import Driver, Prepared
from .records import Filter
from .session_tables import TABLES
from .vector_rows import decoded

if TYPE_CHECKING:
    from .store import Store

# Cosine of the vectors of the whole. With the packaged model pairs saying the same in other words had .91 to .97, notes of one
# kind about different things .37 to .88.
ALIKE = 0.92
CANDIDATES = 8
PAIRS = 3  # a memory, so that a thousand equal ones make no million

alike, vectors, memories = TABLES["alike"], TABLES["vectors"], TABLES["memories"]
a, v, m = alike.c, vectors.c, memories.c
ADD = Prepared(
    insert(alike).values({name: bindparam(name) for name in a.keys()}).on_conflict_do_nothing()  # noqa: SIM118
)
FORGET = Prepared(delete(alike).where(or_(a.a == bindparam("memory_id"), a.b == bindparam("memory_id"))))
WHOLE = Prepared(
    select(v.vector)
    .join_from(vectors, memories, m.id == v.memory_id)
    .where(
        v.memory_id == bindparam("memory_id"), v.model == bindparam("model"), v.part == 0, m.status == "active",
        v.owner == bindparam("owner"),
    )
)  # fmt: skip
_active = [TABLES["memories"].alias(name) for name in "xy"]
PAIR = (
    select(a.a, a.b, a.found, a.similarity)
    .join_from(alike, _active[0], _active[0].c.id == a.a)
    .join(_active[1], _active[1].c.id == a.b)
    .where(a.owner == bindparam("owner"), *(one.c.status == "active" for one in _active))
)
NEWEST = Prepared(PAIR.order_by(a.found, a.a, a.b).limit(bindparam("limit")))
ONE = Prepared(PAIR.where(a.a == bindparam("a"), a.b == bindparam("b")))


def compare(store: Store, owner: int, memory_id: str) -> None:
    """Note the memories of an owner that one of them is nearly alike."""
    model = store.embedder.model
    with store.read(owner) as unit:
        mine = _whole(unit.driver, owner, memory_id, model)
        if mine is None:
            return
        near = unit.nearest(mine, CANDIDATES + 1, where=Filter())
        pairs = []
        for other_id, best in near:
            other = None if other_id == memory_id or best < ALIKE else _whole(unit.driver, owner, other_id, model)
            if other is not None and (similarity := float(np.vecdot(mine, other))) >= ALIKE:
                pairs.append((similarity, other_id))
    if not pairs:
        return
    found = to_text(now())
    with store.write(owner) as unit:
        for similarity, other_id in sorted(pairs, reverse=True)[:PAIRS]:
            first, second = sorted((memory_id, other_id))
            # Either may have changed or gone since it was looked at.
            if all(_whole(unit.driver, owner, one, model) is not None for one in (first, second)):
                ADD.do(unit.driver, a=first, b=second, owner=owner, similarity=round(similarity, 6), found=found)


def _whole(driver: Driver, owner: int, memory_id: str, model: str) -> FloatArray | None:
    blob = WHOLE.value(driver, owner=owner, memory_id=memory_id, model=model)
    return None if blob is None else decoded(blob)
