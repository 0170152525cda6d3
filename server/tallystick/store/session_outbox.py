"""Which sessions have windows to be embedded. One row a session; the latest change counts. See outbox.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, func, select, text
from sqlalchemy.dialects.sqlite import insert

from .prepared import Driver, Prepared, Row
from .session_tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

waiting = TABLES["session_outbox"]
b = waiting.c
_next = select(func.coalesce(func.max(b.seq), 0) + 1).scalar_subquery()
_put = insert(waiting).values(session_n=bindparam("session_n"), owner=bindparam("owner"), seq=_next)
PUT = Prepared(_put.on_conflict_do_update(index_elements=["session_n"], set_={"seq": _put.excluded.seq}))
NEWEST = Prepared(select(b.session_n, b.owner, b.seq).order_by(b.seq.desc()).limit(bindparam("limit")))
COUNT = Prepared(select(func.count()).select_from(waiting))
SEQ = Prepared(select(b.seq).where(b.session_n == bindparam("session_n")))
APPLIED = Prepared(delete(waiting).where(b.session_n == bindparam("session_n"), b.seq <= bindparam("seq")))
WITHOUT_VECTORS = Prepared(
    text(
        "INSERT INTO session_outbox (session_n, owner, seq) SELECT n, owner, 0 FROM sessions s WHERE message_count > 0"
        " AND NOT EXISTS (SELECT 1 FROM session_vectors v WHERE v.session_n = s.n AND v.model = :model)"
        " ON CONFLICT (session_n) DO NOTHING"
    )
)


def put(unit: Unit, session_n: int) -> None:
    """Note a change of a session in the transaction that makes it, and wake the indexer after it."""
    PUT.do(unit.driver, session_n=session_n, owner=unit.owner)
    unit.after_commit(unit.store.wake)


def newest(driver: Driver, limit: int) -> list[Row]:
    """(session_n, owner, seq), the latest change first."""
    return NEWEST.all(driver, limit=limit)


def count(driver: Driver) -> int:
    """How many sessions wait."""
    number: int = COUNT.value(driver)
    return number
