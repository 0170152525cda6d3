"""Erasing: a memory, or all of a user, with everything that was made of it.

What stays: the user's name and keys (they may go on), and audit rows, which hold ids and outcomes and no text.
Vectors leave Chroma through the outbox, and its files with the next generation.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Table, bindparam, delete, select, text

from . import alike, conversations, coverage, facts, lineage, memory_texts, meta, outbox
from .clock import from_text
from .memory_sql import DROP_ISSUES, DROP_TAGS
from .operations import ABOUT
from .prepared import Prepared
from .session_erase import erase_sessions
from .tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

memories, revisions = TABLES["memories"], TABLES["revisions"]
m = memories.c
WHICH = Prepared(
    select(m.n, m.conversation_id, m.created).where(m.owner == bindparam("owner"), m.id == bindparam("memory_id"))
)
DROP_REVISIONS = Prepared(delete(revisions).where(revisions.c.memory_id == bindparam("memory_id")))
DROP = Prepared(delete(memories).where(m.owner == bindparam("owner"), m.id == bindparam("memory_id")))


def erase_memory(unit: Unit, memory_id: str) -> bool:
    """Remove one memory of the unit's owner; False where there is none of that id."""
    driver, owner = unit.driver, unit.owner
    row = WHICH.one(driver, owner=owner, memory_id=memory_id)
    if row is None:
        return False
    number, conversation_id, created = row
    memory_texts.remove(driver, number)
    outbox.forget_vectors(unit, memory_id)
    coverage.forget(unit, memory_id)
    alike.FORGET.do(driver, memory_id=memory_id)
    DROP_TAGS.do(driver, owner=owner, memory_id=memory_id)
    DROP_ISSUES.do(driver, owner=owner, memory_id=memory_id)
    DROP_REVISIONS.do(driver, memory_id=memory_id)
    ABOUT.do(driver, owner=owner, subject=memory_id)
    lineage.FORGET.do(driver, owner=owner, by=memory_id)
    DROP.do(driver, owner=owner, memory_id=memory_id)
    if conversation_id is not None:
        memory_texts.refresh_later(driver, owner, conversation_id, from_text(created), memory_id)
        conversations.forget_empty(unit, conversation_id)
    outbox.put(unit, memory_id, "delete")
    meta.put(driver, meta.SCRUB, secrets.token_hex(8))
    return True


def _of_owner(table: Table) -> Prepared:
    owned: ColumnElement[bool] = table.c.owner == bindparam("owner")
    return Prepared(delete(table).where(owned))


def _of_owners_memories(table: Table, column: str, key: str) -> Prepared:
    """For tables that have no index by owner: each memory's rows are found by the index they are read by."""
    return Prepared(delete(table).where(table.c[column].in_(select(m[key]).where(m.owner == bindparam("owner")))))


TELL_OUTBOX = Prepared(
    text(
        "INSERT INTO outbox (memory_id, owner, op, seq) SELECT id, owner, 'delete', (SELECT coalesce(max(seq), 0) + 1 FROM outbox)"
        " FROM memories WHERE owner = :owner"
        " ON CONFLICT (memory_id) DO UPDATE SET op = excluded.op, seq = excluded.seq"
    )
)
DROP_TEXTS = _of_owners_memories(TABLES["memory_texts"], "n", "n")
DROP_ALL = {
    "vectors": _of_owner(TABLES["vectors"]),
    "memory_tags": _of_owner(TABLES["memory_tags"]),
    "memory_issues": _of_owner(TABLES["memory_issues"]),
    "sent_writes": _of_owner(TABLES["sent_writes"]),
    "revisions": _of_owners_memories(revisions, "memory_id", "id"),
    "operations": _of_owner(TABLES["operations"]),
    "memories": _of_owner(memories),
}


def erase_owner(unit: Unit) -> dict[str, int]:
    """Remove everything of the unit's owner but name, keys and audit rows.

    Returns:
        How many records of each sort there were: memories, revisions, operations, facts, sessions, messages, links.
    """
    driver, owner = unit.driver, unit.owner
    sessions = erase_sessions(unit)
    TELL_OUTBOX.do(driver, owner=owner)
    DROP_TEXTS.do(driver, owner=owner)
    erased = {name: statement.do(driver, owner=owner) for name, statement in DROP_ALL.items()}
    erased["facts"] = facts.DELETE.do(driver, owner=owner)
    conversations.DELETE.do(driver, owner=owner)
    meta.put(driver, meta.SCRUB, secrets.token_hex(8))
    unit.after_change(lambda: unit.store.vectors.held.forget_owner(owner))
    unit.after_change(lambda: unit.store.marks.forget(owner))
    unit.after_commit(unit.store.wake)
    return {name: erased[name] for name in ("memories", "revisions", "operations", "facts")} | sessions
