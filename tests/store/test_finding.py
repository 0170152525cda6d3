"""What is stored is found at once by its words, and by nobody else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tallystick.store import Store

from .conftest import literal, put, user, words

NOTES = {
    "release": ("Ship date", "Release OC-41252 moved to 2026-03-14"),
    "chinese": ("认证", "用户身份验证失败需要处理"),
    "pool": ("Pool", "db pool size for the C++ service"),
    "lone": ("Letters", "vitamin c and plan b"),
    "party": ("Done 🎉", "★ 完成 naïve Straße"),
    "quote": ("Quoting", 'he said "NEAR(a b)" 100% of_the time'),
    "path": ("Path", "see C:\\srv\\app/config.yaml line 12"),
}


@pytest.fixture
def notes(store: Store, owner: int) -> dict[str, str]:
    return {put(store, owner, *text).id: name for name, text in NOTES.items()}


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("2026-03-14", "release"),
        ("14 March 2026", "release"),
        ("OC-41252", "release"),
        ("oc-41252?", "release"),
        ("用户", "chinese"),
        ("用户身份", "chinese"),
        ("身份验证", "chinese"),
        ("用户身份验证为什么失败", "chinese"),
        ("db", "pool"),
        ("C++", "pool"),
        ("pools", "pool"),
        ("🎉", "party"),
        ("★", "party"),
        ("完成", "party"),
        ("naive", "party"),
        ("STRASSE", "party"),
        ('"NEAR(a', "quote"),
        ("config.yaml", "path"),
        ("title:quoting", "quote"),
    ],
)
def test_by_words(store: Store, owner: int, notes: dict[str, str], query: str, name: str) -> None:
    assert notes[words(store, owner, query)[0]] == name


def test_c_plus_plus_is_not_a_lone_c(store: Store, owner: int, notes: dict[str, str]) -> None:
    assert [notes[found] for found in words(store, owner, "C++")] == ["pool"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", []), ("   ", []), ("---", []), ("zebra", []), ("*", []), ("NOT", []), ("AND OR", ["lone"]), ('a" OR "b', ["lone", "quote"]),
        ("{title body}: pool", ["pool"]), ("^letters", ["lone"]), ("\\", []), ("ship NEAR/2 zebra", ["release"]),
        ("vitam*", []), ("scope:u2", []),
    ],
)  # fmt: skip
def test_nothing_in_a_query_is_syntax(
    store: Store, owner: int, notes: dict[str, str], query: str, names: list[str]
) -> None:
    assert sorted(notes[found] for found in words(store, owner, query)) == names


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("2026-03-14", {"release"}),
        ("date\nRelease", {"release"}),
        ("用户", {"chinese"}),
        ("户身份验", {"chinese"}),
        ("🎉", {"party"}),
        ("C++", {"pool"}),
        ("c++ SERVICE", {"pool"}),
        ("%", {"quote"}),
        ("_", {"quote"}),
        ("100% of_", {"quote"}),
        ('"near', {"quote"}),
        ("strasse", {"party"}),
        ("pool size service", set()),
        ("", set(NOTES)),
    ],
)
def test_by_literal(store: Store, owner: int, notes: dict[str, str], query: str, names: set[str]) -> None:
    assert {notes[found] for found in literal(store, owner, query)} == names


def test_context_and_details_are_found(store: Store, owner: int) -> None:
    for text in ("We chose the walrus logo", "It looked friendly", "Everyone agreed", "Lunch"):
        put(store, owner, text, text, conversation_id="nc-logo-20230508", client_project="Orchard", user_query="which?")
    assert len(words(store, owner, "walrus")) == 3, "the memory and the two after it in the conversation"
    assert len(words(store, owner, "8 May 2023")) == 4
    assert len(words(store, owner, "orchard")) == 4
    assert literal(store, owner, "walrus") != words(store, owner, "walrus")


def test_another_user_finds_nothing(store: Store, owner: int, notes: dict[str, str]) -> None:
    stranger = user(store, "bob")
    assert words(store, stranger, "pool") == literal(store, stranger, "pool") == literal(store, stranger, "") == []
    with store.read(stranger) as unit:
        assert unit.memories.get_many(list(notes)) == []
        assert unit.memories.get(next(iter(notes))) is None
        assert unit.memories.coverage("pool", list(notes)) == {}


def test_coverage(store: Store, owner: int, notes: dict[str, str]) -> None:
    by_name = {name: memory_id for memory_id, name in notes.items()}
    with store.read(owner) as unit:
        shares = unit.memories.coverage("the pool sizes of C++ zebras", list(notes))
    assert shares[by_name["pool"]] == 0.75
    assert shares[by_name["lone"]] == 0


def test_found_again_after_reopening(open_store: Callable[..., Store]) -> None:
    owner = user(open_store(), "ann")
    made = put(open_store(), owner, "Ticket", "OC-41252 用户")
    store = open_store()
    assert words(store, owner, "OC-41252") == literal(store, owner, "用户") == [made.id]
