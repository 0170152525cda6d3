"""No statement on the way of a request walks a whole table: each plan is SQLite's own for what the store really runs."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from tallystick.store import AuditFilter, Filter, Store

from .conftest import draft, put

GROWING = "memories|revisions|vectors|memory_tags|memory_texts|operations|audit|conversations|facts|keys"
# `keys list` and the whole audit trail are lists of everything, in the order of their index.
WALK = re.compile(rf"SCAN ({GROWING})\b(?! USING INDEX ix_audit_time)")


def plans(store: Store, owner: int) -> dict[str, list[str]]:
    """What is run by a day's work, with its plans."""
    made = [put(store, owner, f"note {i}", conversation_id="c", tags=["x"]) for i in range(3)]
    put(store, owner, "merged", parents=[made[0].revision])
    assert store.wait_indexed(30)
    run: set[str] = set()
    now = datetime.now(UTC)
    with store.write(owner) as unit:
        unit.driver.set_trace_callback(run.add)  # type: ignore[attr-defined]
        new = unit.memories.create(draft("new", conversation_id="c", tags=["y"], parents=[made[1].revision]), now)
        unit.memories.update(new.id, {"body": "changed", "tags": ["z"]}, [new.revision], agent="a")
        unit.memories.get_many([new.id, made[2].id], body_chars=5)
        for where in (
            Filter(),
            Filter(status="all", query="new", tags=("x",), kinds=("summary",), agents=("a",), pending=True),
            Filter(query="no", conversation_id="c", since=now, until=now),
        ):
            unit.memories.page(where, after=(now, "mem_x"))
            unit.memories.lexical("note", 5, where)
            unit.nearest(unit.embed("note"), 5, allowed=[new.id], where=where)
        unit.memories.coverage("note", [new.id])
        unit.embedded([new.id])
        unit.revisions.page(new.id, 5, (now, "r"))
        unit.facts.put(unit.facts.get())
        unit.keys.find(unit.keys.create("ann", "a", [])[1])
        unit.conversations.mark("c")
        unit.operations.add(agent="a", key="k", name="n", args_hash="h", answer="{}", subject=new.id, now=now)
        unit.operations.find("a", "k")
        unit.operations.purge(now)
        unit.audit.add(request_id="r", user="ann", agent="a", operation="o", outcome="ok", duration_ms=1, now=now)
        for which in (AuditFilter(), AuditFilter(user="ann"), AuditFilter(user="ann", operation="o", since=now)):
            unit.audit.page(5, (now, "aud_x"), which)
        unit.memories.erase(new.id)
        unit.erase_owner()
        unit.driver.set_trace_callback(None)  # type: ignore[attr-defined]
        found = {}
        for sql in run:
            if not re.match(r"--|BEGIN|COMMIT|PRAGMA", sql):
                found[sql] = [row[3] for row in unit.driver.execute(f"EXPLAIN QUERY PLAN {sql}")]
    return found


def test_nothing_is_walked(store: Store, owner: int) -> None:
    found = plans(store, owner)
    assert len(found) > 50
    walked = {sql: plan for sql, plan in found.items() if any(map(WALK.match, plan))}
    assert walked == {}
    # The rows of one memory are not looked for among all of its owner's.
    by_owner = re.compile(r"SEARCH .*\(owner=\?\)")
    one = {sql: plan for sql, plan in found.items() if re.search(r"memory_id = 'mem_|\bid = 'mem_", sql)}
    assert len(one) > 10
    assert {sql: plan for sql, plan in one.items() if any(map(by_owner.match, plan))} == {}


def test_the_right_index_is_taken(store: Store, owner: int) -> None:
    found = plans(store, owner)
    for sql, index in {
        "DELETE FROM revisions WHERE revisions.memory_id IN": "(memory_id=?)",
        "DELETE FROM memory_tags WHERE .*memory_id = ": "ix_memory_tags_memory_id",
        "UPDATE memories SET superseded_by=NULL": "ix_memories_superseded",
        "DELETE FROM operations WHERE operations.owner = 1 AND operations.subject": "ix_operations_subject",
        "SELECT audit.*audit.user =": "ix_audit_user",
    }.items():
        matching = [plan for text, plan in found.items() if re.match(sql, " ".join(text.split()))]
        assert matching, sql
        assert all(index in " ".join(plan) for plan in matching), matching
