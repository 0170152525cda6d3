"""Erasing sessions: one, or all of an owner. Their text leaves the files of the full-text index soon after, see upkeep.scrub."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sqlalchemy import text

from . import meta
from . import session_sql as sql
from .operations import ABOUT
from .prepared import Prepared

if TYPE_CHECKING:
    from .unit import Unit

ABOUT_LINKS = Prepared(
    text(
        "DELETE FROM operations WHERE owner = :owner AND subject IN"
        " (SELECT id FROM session_links WHERE source_n = :number OR target_n = :number)"
    )
)
_OF_ONE = {
    "coverage": "session_n = :number",
    "session_links": "source_n = :number OR target_n = :number",
    "session_vectors": "session_n = :number",
    "session_outbox": "session_n = :number",
    "messages": "session_n = :number",
    "sessions": "n = :number",
}
_MINE = "session_n IN (SELECT n FROM sessions WHERE owner = :owner)"
_OF_OWNER = {
    "coverage": _MINE,
    "alike": "owner = :owner",
    "leases": "owner = :owner",
    "session_links": "owner = :owner",
    "session_vectors": "owner = :owner",
    "session_outbox": "owner = :owner",
    "messages": _MINE,
    "sessions": "owner = :owner",
}
ONE = {name: Prepared(text(f"DELETE FROM {name} WHERE {which}")) for name, which in _OF_ONE.items()}  # noqa: S608
ALL = {name: Prepared(text(f"DELETE FROM {name} WHERE {which}")) for name, which in _OF_OWNER.items()}  # noqa: S608
DROP_LEASE = Prepared(text("DELETE FROM leases WHERE owner = :owner AND task_id = 'summarize-' || :session_id"))


def erase_session(unit: Unit, session_id: str) -> bool:
    """See Sessions.erase."""
    driver, owner = unit.driver, unit.owner
    number = sql.NUMBER.value(driver, owner=owner, session_id=session_id)
    if number is None:
        return False
    ABOUT_LINKS.do(driver, owner=owner, number=number)
    for statement in ONE.values():
        statement.do(driver, number=number)
    DROP_LEASE.do(driver, owner=owner, session_id=session_id)
    ABOUT.do(driver, owner=owner, subject=session_id)
    meta.put(driver, meta.SCRUB_MESSAGES, secrets.token_hex(8))
    unit.after_change(lambda: unit.store.windows.forget(owner, session_id))
    unit.after_commit(unit.store.wake)
    return True


def erase_sessions(unit: Unit) -> dict[str, int]:
    """Remove all sessions of the unit's owner, and tasks; how many sessions, messages and links there were."""
    driver, owner = unit.driver, unit.owner
    erased = {name: statement.do(driver, owner=owner) for name, statement in ALL.items()}
    meta.put(driver, meta.SCRUB_MESSAGES, secrets.token_hex(8))
    unit.after_change(lambda: unit.store.windows.forget_owner(owner))
    return {"sessions": erased["sessions"], "messages": erased["messages"], "links": erased["session_links"]}
