"""A store that holds something of every kind, and its export."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tallystick.store import MessageDraft, Store
from tallystick.store.export import exporting
from tallystick.store.intake import Intake

from .conftest import put, user
from .talk import append, session

Lines = list[dict[str, Any]]


def fill(store: Store, name: str = "ann") -> int:
    """Records of every kind for a user, with the states that a life brings; the user's number."""
    owner = user(store, name)
    one = put(
        store,
        owner,
        "walrus tusks",
        "as it was at first",
        tags=["b", "a"],
        conversation_id="nc-sea-20260314",
        billable=False,
    )
    two = put(
        store, owner, "walrus whiskers", "★ 🎉 naïve C++", conversation_id="nc-sea-20260314", company_client="Orchard"
    )
    with store.write(owner) as unit:
        unit.memories.update(one.id, {"body": "release OC-41252 moved to 2026-03-14 用户身份"}, agent="cursor")
        unit.memories.update(one.id, {"pending": True, "tags": ["sea"]}, agent="claude")
        merged = unit.memories.update(one.id, {"pending": False}, agent="claude")
        unit.memories.update(two.id, {"title": "walrus, whole"}, (two.revision, merged.revision), agent="codex")
    early, late = datetime(2026, 1, 1, 5, tzinfo=UTC), datetime(2026, 1, 1, 6, tzinfo=UTC)
    first = session(store, owner, native_id="first", title="Plans", cwd="/work", created=early)
    texts = [("m0", "user", "where do walruses go"), ("m1", "assistant", "north, 用户"), ("m2", "user", "when")]
    append(store, owner, first.id, [MessageDraft(*text, early) for text in texts])
    second = session(store, owner, "seals too", "yes", native_id="second")
    session(store, owner, native_id="nothing said")
    for number, covered in enumerate((["m0", "m1"], ["m9"])):
        put(
            store,
            owner,
            f"summary {number}",
            session="first",
            covered=covered,
            evidence=[{"session": "first", "message": "m0"}],
        )
    put(store, owner, "of a session that is not here", session="elsewhere", covered=["x"])
    append(store, owner, first.id, [MessageDraft("m1", "assistant", "south after all", late)])
    with store.write(owner) as unit:
        linked = {"issue_id": "5c7d0942", "identifier": "NC-9", "workspace": "AV", "linked": "2026-01-01T05:00:00Z"}
        unit.memories.update(two.id, {"linear_issues": [linked]}, agent="claude")
        unit.links.add(first.id, second.id, "continuation")
        unit.links.add(second.id, first.id, "reference")
        unit.sessions.arrange(first.id, ["m2", "m0", "m1"])
        unit.facts.put({"zeta": [1, None], "alpha": {"用户": "★"}})
        unit.personas.put("pirate", "arr", "loud", "none")
        (shipped, *_) = unit.personas.list()
        unit.personas.put(shipped.name, "as I like it", shipped.communication_style, shipped.behavioral_guidelines)
        unit.conversations.mark("nc-sea-20260314")
    assert store.wait_indexed(30)
    return owner


def export(home: Path, name: str = "ann") -> Lines:
    """The lines of an export, the header without its time."""
    with exporting(home, name) as lines:
        found = list(lines)
    del found[0]["exported"]
    return found


def take(store: Store, lines: Iterable[dict[str, Any]], name: str = "ann") -> Intake:
    """Take lines in, all or none."""
    with store.write(0) as unit:
        intake = Intake(unit, name)
        for line in lines:
            intake.take(line)
        intake.finish()
    return intake


def rows(store: Store) -> dict[str, list[Any]]:
    """Every table with what it holds, but for what only one home's own runs explain."""
    with store.read(0) as unit:
        names = [row[0] for row in unit.driver.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        skipped = ("meta", "outbox", "session_outbox", "sqlite_sequence")
        return {
            name: unit.driver.execute(f"SELECT * FROM {name}").fetchall()
            for name in sorted(names)
            if name not in skipped and not name.startswith(("memory_words", "memory_trigrams", "message_words"))
        }
