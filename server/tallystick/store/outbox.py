"""The outbox: which memories the derived indexes have still to learn about. One row a memory; the latest change counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sqlalchemy import bindparam, delete, func, select

from . import vector_rows
from .prepared import Driver, Prepared, Row, upsert
from .tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

outbox = TABLES["outbox"]
b = outbox.c
# One more than the highest waiting. A row that was applied and deleted may see its number again; that is no harm, since a row
# is deleted only while its number is still the one that was applied.
_next = select(func.coalesce(func.max(b.seq), 0) + 1).scalar_subquery()
PUT = upsert(outbox, "op", "seq", seq=_next)
NEWEST = Prepared(select(b.memory_id, b.owner, b.op, b.seq).order_by(b.seq.desc()).limit(bindparam("limit")))
COUNT = Prepared(select(func.count()).select_from(outbox))
SEQ = Prepared(select(b.seq).where(b.memory_id == bindparam("memory_id")))
APPLIED = Prepared(delete(outbox).where(b.memory_id == bindparam("memory_id"), b.seq <= bindparam("seq")))


def put(unit: Unit, memory_id: str, op: Literal["index", "delete"]) -> None:
    """Note a change of a memory in the transaction that makes it, and wake the indexer after it."""
    PUT.do(unit.driver, memory_id=memory_id, owner=unit.owner, op=op)
    unit.after_commit(unit.store.wake)


def forget_vectors(unit: Unit, memory_id: str) -> None:
    """Remove a memory's vectors in the transaction that changes its text, and from memory right after it."""
    vectors = unit.store.vectors
    removed = vector_rows.drop(unit.driver, memory_id, vectors.model)
    unit.after_change(lambda: vectors.held.forget(unit.owner, memory_id, removed))


def newest(driver: Driver, limit: int) -> list[Row]:
    """(memory_id, owner, op, seq), the latest change first: what was just said must be found soon, an old backlog can wait."""
    return NEWEST.all(driver, limit=limit)


def count(driver: Driver) -> int:
    """How many memories wait."""
    number: int = COUNT.value(driver)
    return number
