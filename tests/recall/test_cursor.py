"""Cursors: what they keep, and that nothing else passes for one."""

import base64
from datetime import UTC, datetime, timedelta, timezone

import pytest
from tallystick.recall.cursor import SEAL, CursorInvalid, Position, seal, unseal

KEY = b"k" * 32
BOUND = {
    "operation": "recall_memory",
    "query": "restore",
    "tags": frozenset({"b", "a"}),
    "status": "active",
    "owner": 1,
}
AT = Position(datetime(2026, 11, 30, 12, 0, 0, 123457, tzinfo=UTC), "mem_01JDZQ8J5R4S6T7V8W9X0Y1Z2A")
CURSOR = seal(KEY, BOUND, AT)


def test_keeps_the_position_to_the_microsecond():
    assert unseal(KEY, BOUND, CURSOR) == AT


@pytest.mark.parametrize(
    "created", [datetime(1969, 12, 31, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)]
)
def test_keeps_far_times(created):
    position = Position(created, "x")
    assert unseal(KEY, BOUND, seal(KEY, BOUND, position)) == position


def test_an_offset_is_converted():
    there = Position(AT.created.astimezone(timezone(timedelta(hours=-5))), AT.id)
    assert seal(KEY, BOUND, there) == CURSOR


def test_keeps_ids_of_any_script():
    position = Position(AT.created, "запись 😀")
    assert unseal(KEY, BOUND, seal(KEY, BOUND, position)) == position


def test_is_short_enough_for_the_smallest_budget():
    assert len(CURSOR) <= 80
    assert CURSOR.isascii()
    assert "=" not in CURSOR


@pytest.mark.parametrize(
    "text",
    [
        *("", "AAAA", "!", " " + CURSOR, CURSOR.lower(), CURSOR[:-1], CURSOR[: len(CURSOR) // 2]),
        *(CURSOR + end for end in ("!", "=", "A", "\n")),
        *(CURSOR[:-1] + "é", "\ud800", "A" * 2000, base64.urlsafe_b64encode(b"\x00" * 60).decode()),
    ],
)
def test_refuses_damaged_text(text):
    with pytest.raises(CursorInvalid):
        unseal(KEY, BOUND, text)


def test_refuses_every_changed_character():
    for place, char in enumerate(CURSOR):
        other = "A" if char != "A" else "B"
        with pytest.raises(CursorInvalid):
            unseal(KEY, BOUND, CURSOR[:place] + other + CURSOR[place + 1 :])


def test_refuses_the_other_spellings_of_the_same_bytes():
    raw = base64.urlsafe_b64decode(CURSOR + "=" * (-len(CURSOR) % 4))
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    pad = "=" * (-len(CURSOR) % 4)
    same = [CURSOR[:-1] + char for char in alphabet if base64.urlsafe_b64decode(CURSOR[:-1] + char + pad) == raw]
    assert len(same) > 1, "this length has only one spelling: choose another id"
    for spelling in same:
        if spelling != CURSOR:
            with pytest.raises(CursorInvalid):
                unseal(KEY, BOUND, spelling)
    standard = base64.b64encode(b"\xfb" * (9 + 1 + SEAL)).decode()
    with pytest.raises(CursorInvalid):
        unseal(KEY, BOUND, standard)


@pytest.mark.parametrize(
    "change",
    [
        {"query": "restor"},
        {"query": None},
        {"tags": frozenset({"a"})},
        {"status": "all"},
        {"owner": 2},
        {"operation": "list_memories"},
        {"new": 1},
    ],
)
def test_refuses_another_question(change):
    with pytest.raises(CursorInvalid):
        unseal(KEY, {**BOUND, **change}, CURSOR)


def test_refuses_another_key():
    with pytest.raises(CursorInvalid):
        unseal(b"K" * 32, BOUND, CURSOR)


def test_order_of_names_and_tags_and_absent_values_do_not_matter():
    same = {"agent": None, **dict(reversed(BOUND.items())), "tags": {"a", "b"}}
    assert unseal(KEY, same, CURSOR) == AT


def test_the_number_one_is_not_the_text_one():
    with pytest.raises(CursorInvalid):
        unseal(KEY, {**BOUND, "owner": "1"}, CURSOR)


@pytest.mark.parametrize(
    ("key", "position"),
    [(b"", AT), (KEY, Position(AT.created, "")), (KEY, Position(AT.created.replace(tzinfo=None), "x"))],
)
def test_cannot_be_made_from_nothing(key, position):
    with pytest.raises(ValueError, match="a cursor needs"):
        seal(key, BOUND, position)
