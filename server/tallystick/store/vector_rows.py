"""The vectors table: the one true copy of each vector."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from sqlalchemy import bindparam, delete, func, select

from .embedding import FloatArray
from .prepared import Driver, Prepared, Row, inserting
from .tables import TABLES

MANY = 256
vectors, outbox = TABLES["vectors"], TABLES["outbox"]
v = vectors.c
_owned = (v.owner == bindparam("owner"), v.model == bindparam("model"))
ADD = inserting(vectors, "n")
COUNT = Prepared(select(func.count()).select_from(vectors).where(*_owned))
OF_OWNER = Prepared(select(v.memory_id, v.vector).where(*_owned).order_by(v.memory_id, v.part))
NUMBERS = Prepared(select(v.n).where(*_owned))
PARTS = Prepared(select(v.part).where(v.memory_id == bindparam("memory_id"), v.model == bindparam("model")))
DROP = Prepared(delete(vectors).where(v.memory_id == bindparam("memory_id"), v.model == bindparam("model")))
DROP_OTHER_MODELS = Prepared(
    delete(vectors).where(v.memory_id == bindparam("memory_id"), v.model != bindparam("model"))
)
_waiting = select(outbox.c.memory_id)
SETTLED = Prepared(select(v.n).where(v.model == bindparam("model"), v.memory_id.not_in(_waiting)).limit(1))
OWNERS = Prepared(select(v.owner, func.count()).where(v.model == bindparam("model")).group_by(v.owner))


def count(driver: Driver, owner: int, model: str) -> int:
    """How many vectors an owner has."""
    number: int = COUNT.value(driver, owner=owner, model=model)
    return number


def by_number(driver: Driver, owner: int, model: str, numbers: Sequence[int]) -> list[tuple[int, str, FloatArray]]:
    """(number, memory id, vector) of those rows that are there."""
    found: list[tuple[int, str, FloatArray]] = []
    for start in range(0, len(numbers), MANY):
        some = numbers[start : start + MANY]
        rows = _chosen("n", _size(some)).all(driver, owner=owner, model=model, **_named(some))
        found += [(row[0], row[1], decoded(row[2])) for row in rows]
    return found


def by_memory(driver: Driver, owner: int, model: str, memory_ids: Sequence[str]) -> list[tuple[int, str, FloatArray]]:
    """(number, memory id, vector) of every vector of some memories, those of one memory together."""
    found: list[tuple[int, str, FloatArray]] = []
    for start in range(0, len(memory_ids), MANY):
        some = memory_ids[start : start + MANY]
        rows: list[Row] = _chosen("memory_id", _size(some)).all(driver, owner=owner, model=model, **_named(some))
        found += [(row[0], row[1], decoded(row[2])) for row in rows]
    return found


def drop(driver: Driver, memory_id: str, model: str) -> int:
    """Remove all vectors of a memory; how many of this model there were."""
    DROP_OTHER_MODELS.do(driver, memory_id=memory_id, model=model)
    return DROP.do(driver, memory_id=memory_id, model=model)


def having(driver: Driver, owner: int, model: str, memory_ids: Sequence[str]) -> set[str]:
    """Those of some memories that have a vector."""
    found: set[str] = set()
    for start in range(0, len(memory_ids), MANY):
        some = memory_ids[start : start + MANY]
        found.update(row[0] for row in _having(_size(some)).all(driver, owner=owner, model=model, **_named(some)))
    return found


def decoded(blob: bytes) -> FloatArray:
    """A vector from its bytes."""
    return np.frombuffer(blob, np.float32)


def encoded(vector: FloatArray) -> bytes:
    """The bytes of a vector: little-endian float32."""
    return vector.astype("<f4").tobytes()


def _size(some: Sequence[object]) -> int:
    size: int = 1 << (len(some) - 1).bit_length()
    return size


def _named(some: Sequence[object]) -> dict[str, object]:
    return {f"x_{i}": some[min(i, len(some) - 1)] for i in range(_size(some))}


@lru_cache(maxsize=32)
def _having(size: int) -> Prepared:
    chosen = v.memory_id.in_([bindparam(f"x_{i}") for i in range(size)])
    return Prepared(select(v.memory_id).where(*_owned, chosen).distinct())


@lru_cache(maxsize=32)
def _chosen(column: str, size: int) -> Prepared:
    chosen = v[column].in_([bindparam(f"x_{i}") for i in range(size)])
    # Without statistics SQLite would rather walk all vectors of the owner than take some rows by their number.
    by_key = ((v.owner + 0) == bindparam("owner"), v.model.concat("") == bindparam("model"))
    owned = by_key if column == "n" else _owned
    return Prepared(select(v.n, v.memory_id, v.vector).where(*owned, chosen).order_by(v.memory_id, v.part))
