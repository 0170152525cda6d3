"""Memories: made, changed with revisions and parents, merged, paged, filtered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from tallystick.store import Conflict, Filter, MemoryChanges, NotFound, Store

from .conftest import count, draft, put, user, words


def change(store: Store, owner: int, memory_id: str, changes: MemoryChanges, *parents: str) -> Any:
    with store.write(owner) as unit:
        return unit.memories.update(memory_id, changes, parents, agent="codex")


def test_everything_comes_back_as_given(store: Store, owner: int) -> None:
    given = {
        "tags": ("a", "b-c"), "author": "Ann", "persona": "jack", "session": "s1", "conversation_id": "nc-x",
        "evidence": ({"session": "s", "message": "m"},), "covered": ("v1",), "billable": True, "company_client": "Orchard",
        "client_project": "shop", "artifact_url": "https://x.example", "user_query": "why? 🎉", 
        "linear_issues": ({"issue_id": "u-1", "identifier": "OC-1"},),
        "pending": True,
    }  # fmt: skip
    made = put(store, owner, "T ★", "b\n 完成\u2028 naïve", **given)
    with store.read(owner) as unit:
        memory = unit.memories.get(made.id)
    assert memory == made
    assert memory is not None
    assert {name: getattr(memory, name) for name in given} == given
    assert (memory.title, memory.body, memory.body_length) == ("T ★", "b\n 完成\u2028 naïve", 12)
    assert memory.id.startswith("mem_")
    assert len(memory.id) == 30
    assert memory.created.tzinfo is UTC


def test_times_are_converted(store: Store, owner: int) -> None:
    at = datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=-5)))
    made = put(store, owner, created=at)
    assert made.created == datetime(2026, 1, 1, 5, tzinfo=UTC)
    with store.read(owner) as unit:
        assert count(unit, since=at) == 1
        assert count(unit, until=at) == 0
        assert count(unit, since=at + timedelta(seconds=1)) == 0


def test_update_makes_a_revision(store: Store, owner: int) -> None:
    first = put(store, owner, "alpha secret plan", "alpha", tags=["x"])
    second = change(store, owner, first.id, {"title": "beta schedule", "body": "beta"}, first.revision)
    third = change(store, owner, first.id, {"pending": True})
    assert (second.title, second.tags, second.created) == ("beta schedule", ("x",), first.created)
    assert first.updated < second.updated < third.updated
    assert third.parents == (second.revision,)
    with store.read(owner) as unit:
        listed = unit.revisions.page(first.id, 10)
        assert [one.revision for one in listed] == [third.revision, second.revision, first.revision]
        assert unit.revisions.page(first.id, 10, after=(listed[0].created, listed[0].revision)) == listed[1:]
    old = listed[-1]
    assert (old.title, old.body, old.agent, listed[0].agent) == ("alpha secret plan", "alpha", "claude", "codex")


def test_stale_parents_change_nothing(store: Store, owner: int) -> None:
    made = put(store, owner)
    now = change(store, owner, made.id, {"title": "new"})
    for parents in ([made.revision], ["0" * 32], [now.revision, "0" * 32]):
        with pytest.raises(Conflict):
            change(store, owner, made.id, {"title": "lost"}, *parents)
    with store.read(owner) as unit:
        assert unit.memories.get(made.id) == now
        assert len(unit.revisions.page(made.id, 10)) == 2


def test_merging_supersedes(store: Store, owner: int) -> None:
    a, b, c = (put(store, owner, name) for name in "abc")
    merged = put(store, owner, "ab", parents=[a.revision, b.revision])
    change(store, owner, c.id, {"title": "abc"}, c.revision, merged.revision)
    with store.read(owner) as unit:
        states = {one.title: (one.status, one.superseded_by) for one in unit.memories.page(Filter(status="all"))}
        assert states == {
            "a": ("superseded", merged.id), "b": ("superseded", merged.id), "ab": ("superseded", c.id),
            "abc": ("active", None),
        }  # fmt: skip
        assert count(unit) == 1
        assert count(unit, status="superseded") == 3
    with pytest.raises(Conflict, match="not the current revision"):
        put(store, owner, "again", parents=[a.revision])
    with pytest.raises(Conflict):
        put(store, user(store, "bob"), "thief", parents=[c.revision])


def test_unknown_and_foreign_ids(store: Store, owner: int) -> None:
    made, stranger = put(store, owner), user(store, "bob")
    for who, memory_id in ((owner, "mem_unknown"), (stranger, made.id)):
        with pytest.raises(NotFound, match=f"no memory {memory_id}"):
            change(store, who, memory_id, {"title": "x"})
        with store.write(who) as unit:
            assert not unit.memories.erase(memory_id)
    with pytest.raises(Conflict), store.write(stranger) as unit:
        unit.memories.create(draft(id=made.id))


def test_ties_are_paged_once_each(store: Store, owner: int) -> None:
    at = datetime(2026, 5, 1, tzinfo=UTC)
    ids = {put(store, owner, f"n{i}", created=at).id for i in range(25)}
    seen: list[str] = []
    after = None
    while True:
        with store.read(owner) as unit:
            page = unit.memories.page(limit=10, after=after)
        if not page:
            break
        seen += [one.id for one in page]
        after = (page[-1].created, page[-1].id)
        for i in range(3):
            put(store, owner, f"later {i}")
    assert len(seen) == 25
    assert set(seen) == ids
    assert seen == sorted(seen, reverse=True)


def test_tags_are_exact_and_all_of_them(store: Store, owner: int) -> None:
    tagged = [["test"], ["testing"], ["my-test-tag"], ["test", "checkpoint"]]
    made = [put(store, owner, str(i), tags=tags).id for i, tags in enumerate(tagged)]

    def tags(*names: str) -> set[int]:
        with store.read(owner) as unit:
            return {made.index(one.id) for one in unit.memories.page(Filter(tags=names))}

    assert tags("test") == {0, 3}
    assert tags("test", "checkpoint") == {3}
    assert tags("te%") == tags("tes") == set()
    change(store, owner, made[3], {"tags": []})
    assert tags("test") == {0}


def test_tags_are_sorted_everywhere(store: Store, owner: int) -> None:
    made = put(store, owner, tags=["pear", "apple", "fig", "apple"])
    assert made.tags == ("apple", "fig", "pear")
    changed = change(store, owner, made.id, {"tags": ["b", "a", "c", "a"]})
    assert changed.tags == ("a", "b", "c")
    with store.read(owner) as unit:
        assert unit.memories.get(made.id) == unit.memories.page()[0] == changed
        assert [one.fields["tags"] for one in unit.revisions.page(made.id, 9)] == [
            ["a", "b", "c"],
            ["apple", "fig", "pear"],
        ]


def test_only_what_changed_is_indexed_anew(store: Store, owner: int) -> None:
    made = put(store, owner, "walrus", "a body", conversation_id="c", tags=["old"])

    def indexes() -> list[list[Any]]:
        with store.read(owner) as unit:
            return [
                unit.driver.execute(f"SELECT id, block FROM {name}_data").fetchall()
                for name in ("memory_words", "memory_trigrams")
            ]

    words_before, trigrams_before = indexes()
    for changes in ({"pending": True}, {"pending": False}, {"status": "archived"}, {"status": "active"}):
        change(store, owner, made.id, changes)  # type: ignore[arg-type]
        assert indexes() == [words_before, trigrams_before]
    change(store, owner, made.id, {"tags": ["new"]})
    words_after, trigrams_after = indexes()
    assert (words_after != words_before, trigrams_after == trigrams_before) == (True, True)
    assert words(store, owner, "new") == [made.id]
    assert words(store, owner, "old") == []
    change(store, owner, made.id, {"body": "another body"})
    assert indexes()[1] != trigrams_after
    assert words(store, owner, "another") == words(store, owner, "walrus") == [made.id]


def test_filters_hold_together(store: Store, owner: int) -> None:
    put(store, owner, "one walrus", kind="knowledge", persona="jack")
    kept = put(store, owner, "two walrus", kind="preference", agent="codex", conversation_id="c", pending=True)
    change(store, owner, put(store, owner, "three walrus").id, {"status": "archived"})
    where = Filter(
        query="WALRUS", kinds=("preference", "background"), agents=("codex",), pending=True, conversation_id="c"
    )
    with store.read(owner) as unit:
        assert [one.id for one in unit.memories.page(where)] == [kept.id]
        assert [found for found, _ in unit.memories.lexical("walrus", 5, where)] == [kept.id]
        assert len(unit.memories.page(where)) == 1
        assert count(unit, status="archived", query="walrus") == 1
        assert count(unit, persona="jack") == 1
    assert len(words(store, owner, "walrus")) == 2


def test_bodies_may_be_cut(store: Store, owner: int) -> None:
    made = put(store, owner, body="😀" * 5000)
    with store.read(owner) as unit:
        (page,) = unit.memories.page(body_chars=7)
        (many,) = unit.memories.get_many([made.id, "mem_unknown"], body_chars=0)
    assert (page.body, page.body_length) == ("😀" * 7, 5000)
    assert (many.body, many.body_length) == ("", 5000)
