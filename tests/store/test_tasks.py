"""Tasks appear and are done by what happens; a claim is won by exactly one."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest
from tallystick.store import Conflict, NotFound, Store, TaskRecord, upkeep

from .conftest import draft, put, user
from .talk import append, get, read, said, session, sound

AT = datetime.now(UTC) + timedelta(days=1)  # the store itself removes leases that have expired by its own clock
PAST = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def tasks(store: Store, owner: int) -> dict[str, TaskRecord]:
    with store.read(owner) as unit:
        return {task.id: task for task in unit.tasks.list() if task.kind != "index"}


def claim(store: Store, owner: int, task_id: str, who: str, now: datetime | None = None) -> datetime:
    with store.write(owner) as unit:
        return unit.tasks.claim(task_id, who, now).expires


def test_summarize_comes_and_goes(store: Store, owner: int) -> None:
    made = session(store, owner, "one", "two", "three", native_id="nat")
    task_id = f"summarize-{made.id}"
    task = tasks(store, owner)[task_id]
    assert (task.kind, task.pending, task.session, task.priority) == ("summarize", 3, made.id, "normal")
    assert tasks(store, user(store, "bob")) == {}
    version = read(store, owner, made.id)[1].version
    first = put(store, owner, session=made.id, covered=["m0", version, "m9", "unknown"])
    assert [one.covered for one in read(store, owner, made.id)] == [True, True, False]
    assert tasks(store, owner)[task_id].pending == 1
    put(store, owner, session="nat", covered=["m2", "m0"])
    assert tasks(store, owner) == {}
    append(store, owner, made.id, said("four", first=3))
    assert tasks(store, owner)[task_id].pending == 1
    append(store, owner, made.id, said(*("x" * i for i in range(1, 7)), first=4))
    assert [one.id for one in read(store, owner, made.id) if not one.covered] == [f"m{i}" for i in (3, 4, 5, 6, 7, 8)]
    sound(store)
    with store.write(owner) as unit:
        unit.memories.erase(first.id)
    assert [one.covered for one in read(store, owner, made.id)][:4] == [True, False, True, False]
    assert get(store, owner, made.id).uncovered == 8
    sound(store)


def test_what_covers(store: Store, owner: int) -> None:
    made = session(store, owner, "one", "two")
    for kind, where in (("knowledge", made.id), ("summary", None), ("summary", "ses_x")):
        put(store, owner, kind=kind, session=where, covered=["m0", "m1"])
    with store.write(user(store, "bob")) as unit:
        unit.memories.create(draft(session=made.id, covered=["m0"]))
    assert get(store, owner, made.id).uncovered == 2
    memory = put(store, owner, session=made.id, covered=["m0"])
    append(store, owner, made.id, said("one, changed"))
    assert get(store, owner, made.id).uncovered == 2, "another text is not what was summarised"
    append(store, owner, made.id, said("one"))
    assert get(store, owner, made.id).uncovered == 1, "and that one is back"
    with store.write(owner) as unit:
        unit.memories.update(memory.id, {"title": "other"}, agent="a")
        assert unit.sessions.get(made.id).uncovered == 1  # type: ignore[union-attr]
        unit.memories.update(memory.id, {"covered": ["m1"]}, agent="a")
    assert [one.covered for one in read(store, owner, made.id)] == [False, True]
    with store.write(owner) as unit:
        unit.sessions.arrange(made.id, ["m0"])
        assert unit.sessions.get(made.id).uncovered == 1  # type: ignore[union-attr]
        unit.sessions.append(made.id, said("two", first=1))
        assert unit.sessions.get(made.id).uncovered == 1  # type: ignore[union-attr]
    sound(store)


def test_a_summary_may_come_before_its_session(store: Store, owner: int) -> None:
    put(store, owner, session="nat", covered=["m0", "m1"])
    made = session(store, owner, "one", "two", "three", native_id="nat")
    assert [one.covered for one in read(store, owner, made.id)] == [True, True, False]
    append(store, owner, made.id, said("one", "two, changed"))
    assert get(store, owner, made.id).uncovered == 2
    sound(store)


def test_consolidate_comes_and_goes(store: Store, owner: int) -> None:
    text = ("User prefers tabs", "The user prefers tabs over blanks in all files.")
    a, b = put(store, owner, *text), put(store, owner, *text)
    other = put(store, owner, "Walrus", "A sea animal with tusks")
    put(store, user(store, "bob"), *text)
    assert store.wait_indexed(30)
    task_id = f"consolidate-{a.id}-{b.id}"
    (task,) = tasks(store, owner).values()
    assert (task.id, task.kind, task.memories, task.pending) == (task_id, "consolidate", (a.id, b.id), 2)
    with store.write(owner) as unit:
        unit.memories.update(b.id, {"title": "Walrus food", "summary": "", "body": "Clams and fish"}, agent="a")
    assert tasks(store, owner) == {}
    with pytest.raises(NotFound):
        claim(store, owner, task_id, "claude")
    with store.write(owner) as unit:
        unit.memories.update(other.id, {"title": text[0], "summary": text[0], "body": text[1]}, agent="a")
    assert store.wait_indexed(30)
    (task,) = tasks(store, owner).values()
    assert task.memories == (a.id, other.id)
    claim(store, owner, task.id, "claude")
    with store.write(owner) as unit:
        current = [unit.memories.get(one) for one in task.memories]
        unit.memories.create(draft("Tabs", parents=[one.revision for one in current if one]))
    assert tasks(store, owner) == {}
    with store.write(owner) as unit:
        unit.memories.erase(a.id)
        assert unit.driver.execute("SELECT count(*) FROM alike").fetchone() == (0,)


def test_equal_memories_make_few_pairs(store: Store, owner: int) -> None:
    for _ in range(30):
        put(store, owner, "the same", "again")
    assert store.wait_indexed(30)
    assert 29 <= len(tasks(store, owner)) <= 90


def test_index_and_cleanup_are_done_by_the_server(store: Store, owner: int) -> None:
    with store.write(owner) as unit:
        made = unit.memories.create(draft())
        (task,) = [task for task in unit.tasks.list() if task.kind == "index"]
        assert (task.id, task.pending, task.created) == ("index", 1, made.updated)
    assert store.wait_indexed(30)
    session(store, owner, "one")
    assert store.wait_indexed(30)
    with store.write(owner) as unit:
        unit.operations.add(agent="a", key="k", name="n", args_hash="h", answer="{}", now=PAST)
        unit.tasks.claim(unit.tasks.list()[0].id, "claude", PAST)
        assert [(task.id, task.pending) for task in unit.tasks.list()[1:]] == [("cleanup", 2)]
        assert unit.tasks.claim("cleanup", "claude").task_id == "cleanup"
    upkeep.purge(store)
    with store.read(owner) as unit:
        assert [task.kind for task in unit.tasks.list()] == ["summarize"]


def test_a_lease(store: Store, owner: int) -> None:
    made = session(store, owner, "one")
    task_id = f"summarize-{made.id}"
    assert claim(store, owner, task_id, "claude", AT) == AT + 5 * MINUTE
    with pytest.raises(Conflict, match="claude"):
        claim(store, owner, task_id, "codex", AT + 4 * MINUTE)
    assert claim(store, owner, task_id, "claude", AT + 4 * MINUTE) == AT + 9 * MINUTE
    with store.read(owner) as unit:
        (task,) = (task for task in unit.tasks.list(now=AT + 5 * MINUTE) if task.kind == "summarize")
        assert (task.claimed_by, task.expires) == ("claude", AT + 9 * MINUTE)
    with pytest.raises(Conflict):
        claim(store, owner, task_id, "codex", AT + 9 * MINUTE - timedelta(microseconds=1))
    assert claim(store, owner, task_id, "codex", AT + 9 * MINUTE) == AT + 14 * MINUTE
    put(store, owner, session=made.id, covered=["m0"])
    with pytest.raises(NotFound):
        claim(store, owner, task_id, "codex", AT + 10 * MINUTE)
    append(store, owner, made.id, said("two", first=1))
    assert claim(store, owner, task_id, "claude", AT + 10 * MINUTE), "what was done set its claim free"


@pytest.mark.parametrize(
    "task_id", ["summarize-ses_x", "consolidate-a-b", "index", "cleanup", "nonsense", "", "summarize"]
)
def test_unknown_tasks(store: Store, owner: int, task_id: str) -> None:
    theirs = session(store, user(store, "bob"), "one")
    assert store.wait_indexed(30)
    for name in (task_id, f"summarize-{theirs.id}"):
        with pytest.raises(NotFound):
            claim(store, owner, name, "claude")


def test_sixteen_want_it_one_gets_it(store: Store, owner: int) -> None:
    made = session(store, owner, "one")
    for round_ in range(5):
        barrier = threading.Barrier(16)
        won: list[str] = []
        lost: list[str] = []

        def race(name: str, barrier: threading.Barrier = barrier, at: datetime = AT + round_ * 5 * MINUTE) -> None:
            barrier.wait()
            try:
                claim(store, owner, f"summarize-{made.id}", name, at)
                won.append(name)  # noqa: B023
            except Conflict:
                lost.append(name)  # noqa: B023

        threads = [threading.Thread(target=race, args=(f"agent{i}",)) for i in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(won), len(lost)) == (1, 15)
