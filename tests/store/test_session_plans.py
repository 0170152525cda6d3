"""No statement about sessions walks a whole table, or all of an owner's rows for one of them. See test_plans.py."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from tallystick.store import MessageDraft, SessionDraft, SessionFilter, Store

from .conftest import draft, put
from .talk import said, session

# An outbox is no such table: it empties.
GROWING = "sessions|messages|session_links|coverage|leases|alike|session_vectors|memories|vectors|m|s"
WALK = re.compile(rf"SCAN ({GROWING})\b")


def plans(store: Store, owner: int) -> dict[str, list[str]]:
    """What is run by a day's work with sessions, with its plans."""
    others = [session(store, owner, "one", "two", native_id=f"n{i}") for i in range(3)]
    pair = [put(store, owner, "the same", "text").id for _ in range(2)]
    assert store.wait_indexed(30)
    run: set[str] = set()
    now = datetime.now(UTC)
    with store.write(owner) as unit:
        unit.driver.set_trace_callback(run.add)  # type: ignore[attr-defined]
        made, _ = unit.sessions.upsert(SessionDraft(agent="claude", native_id="new"))
        unit.sessions.append(made.id, said("one", "two", "three"), now)
        unit.sessions.append(made.id, [MessageDraft("m1", "user", "changed")])
        unit.sessions.upsert(SessionDraft(agent="claude", native_id="new", title="A title"))
        unit.sessions.get("new", "claude")
        unit.sessions.get_many([made.id, *(one.id for one in others)])
        for where in (SessionFilter(), SessionFilter(agent="claude", since=now, until=now, query="x")):
            unit.sessions.page(where, after=(now, "ses_x"))
        unit.sessions.latest(5, "claude")
        unit.sessions.active("claude", now)
        unit.sessions.messages(made.id, start="m1", limit=5)
        unit.sessions.messages(made.id, offset=2, content_chars=5)
        unit.sessions.related("one title", 5, unit.embed("one"))
        for kind in (None, "session"):
            for sort in ("relevance", "recent"):
                unit.search("one OR title OR text", kind=kind, sort=sort, agent="claude")
        unit.links.add(made.id, others[0].id, "branch")
        unit.links.of(made.id)
        summary = unit.memories.create(draft(session=made.id, covered=["m0", "v", "m1"]))
        unit.memories.update(summary.id, {"covered": ["m2"]}, agent="a")
        for task in unit.tasks.list():
            unit.tasks.claim(task.id, "claude")
        unit.tasks.list()
        unit.tasks.purge(now)
        unit.sessions.arrange(made.id, ["m2", "m0"])
        unit.memories.erase(summary.id)
        unit.memories.erase(pair[0])
        unit.sessions.erase(made.id)
        unit.erase_owner()
        unit.driver.set_trace_callback(None)  # type: ignore[attr-defined]
        found = {}
        for sql in run:
            if not re.match(r"--|BEGIN|COMMIT|PRAGMA|CREATE|INSERT INTO me\w+ \(me", sql):
                found[sql] = [row[3] for row in unit.driver.execute(f"EXPLAIN QUERY PLAN {sql}")]
    return found


def test_nothing_is_walked(store: Store, owner: int) -> None:
    found = plans(store, owner)
    assert len(found) > 70
    walked = {sql: plan for sql, plan in found.items() if any(map(WALK.match, plan))}
    assert walked == {}
    by_owner = re.compile(r"SEARCH \w+ USING .*\(owner=\?\)")
    one = {sql: plan for sql, plan in found.items() if re.search(r"\bid (=|IN) \(?'(ses|mem)_|memory_id = 'mem_", sql)}
    assert len(one) > 10
    assert {sql: plan for sql, plan in one.items() if any(map(by_owner.match, plan))} == {}
    by_session = re.compile(r"SEARCH (messages|m) USING .*\(session_n=\?\)")
    wide = [sql for sql, plan in found.items() if any(map(by_session.match, plan))]
    # These alone look at all messages of one session: names that may be versions, coverage given up, order, removal; and up to
    # the first of a user, of what a session without a title is called.
    told = r"version|NOT IN|heading IS NOT NULL|SET position|^DELETE|role = 'user' ORDER BY \S+position\s+LIMIT 1"
    assert all(re.search(told, sql) for sql in wide), wide
