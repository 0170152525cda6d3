"""How much is stored, and how much of it every index has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
from sqlalchemy import func, select

from . import session_tables, vector_rows
from .index_records import IndexReport
from .prepared import Prepared
from .tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

log = structlog.get_logger(__name__)

MEMORIES = Prepared(select(func.count()).select_from(TABLES["memories"]))
SESSIONS = Prepared(select(func.count()).select_from(session_tables.TABLES["sessions"]))


def look(unit: Unit) -> IndexReport:
    """Count the records of all users."""
    store, driver = unit.store, unit.driver
    by_owner: dict[int, int] = dict(vector_rows.OWNERS.all(driver, model=store.embedder.model))
    memories, sessions = MEMORIES.value(driver), SESSIONS.value(driver)
    state, indexed = store.state(), 0
    error = state.error
    try:
        indexed = sum(store.vectors.chroma.count(owner) for owner in by_owner)
    except Exception as failed:
        log.warning("the vector index cannot be read", error=str(failed))
        if state.rebuild is None:  # else it is being made anew
            error = error or f"the vector index cannot be read: {type(failed).__name__}: {failed}"
    return IndexReport(state, error, memories, sessions, sum(by_owner.values()), indexed)
