"""Sessions for the tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tallystick.store import Appended, Found, MessageDraft, MessageRecord, SessionDraft, SessionRecord, Store

ROLES = ("user", "assistant")


def said(*texts: str, first: int = 0) -> list[MessageDraft]:
    """Messages m0, m1 … of user and assistant by turns."""
    return [MessageDraft(f"m{i}", ROLES[i % 2], text) for i, text in enumerate(texts, first)]


def session(store: Store, owner: int, *texts: str, native_id: str = "n1", **more: Any) -> SessionRecord:
    """A session holding these messages."""
    with store.write(owner) as unit:
        made, _ = unit.sessions.upsert(SessionDraft(**{"agent": "claude", "native_id": native_id} | more))
        if texts:
            unit.sessions.append(made.id, said(*texts))
        found = unit.sessions.get(made.id)
    assert found is not None
    return found


def append(store: Store, owner: int, session_id: str, messages: Iterable[MessageDraft], **more: Any) -> Appended:
    with store.write(owner) as unit:
        return unit.sessions.append(session_id, messages, **more)


def read(store: Store, owner: int, session_id: str, **more: Any) -> list[MessageRecord]:
    with store.read(owner) as unit:
        return unit.sessions.messages(session_id, **{"limit": 1000} | more)


def get(store: Store, owner: int, session_id: str) -> SessionRecord:
    with store.read(owner) as unit:
        found = unit.sessions.get(session_id)
    assert found is not None
    return found


def find(store: Store, owner: int, query: str, **more: Any) -> Found:
    with store.read(owner) as unit:
        return unit.search(query, **more)


def snippets(store: Store, owner: int, query: str, **more: Any) -> list[str]:
    return [hit.snippet for hit in find(store, owner, query, **more).hits]


def sound(store: Store) -> None:
    """The full text of messages agrees with the messages, positions have no gaps, counts are right."""
    with store.write(0) as unit:
        for index in ("message_words", "memory_words"):
            unit.driver.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
        rows = unit.driver.execute(
            "SELECT s.id, s.message_count, s.uncovered, s.waiting IS NULL, count(m.n), coalesce(max(m.position), -1),"
            " count(DISTINCT m.position), coalesce(sum(NOT m.covered), 0), count(m.heading)"
            " FROM sessions s LEFT JOIN messages m ON m.session_n = s.n GROUP BY s.n"
        ).fetchall()
    for _, count, uncovered, settled, number, last, places, bare, headings in rows:
        assert count == number == last + 1 == places
        assert uncovered == bare
        assert settled == (bare == 0)
        assert headings <= 1
