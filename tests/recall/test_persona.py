"""The persona hint names a stored persona or nothing."""

import pytest
from tallystick.recall.persona import THRESHOLD, hint

STORED = ["jack", "betty", "nora"]


@pytest.mark.parametrize(
    ("memories", "expected"),
    [
        ([("jack", 0.9)], "jack"),
        ([(" Jack ", 0.9)], "jack"),
        ([(None, 0.95), ("nora", 0.8)], "nora"),
        ([("jack", 0.9), ("betty", 0.6), ("betty", 0.6)], "betty"),
        ([("jack", 0.7), ("betty", 0.7)], "jack"),
        ([("betty", 0.7), ("jack", 0.7)], "betty"),
        ([("gandalf", 0.99), ("nora", 0.6)], "nora"),
        ([("gandalf", 0.99)], None),
        ([("jack", 0.3)], None),
        ([(None, 0.9), (None, 0.9), (None, 0.9), ("jack", 0.8)], None),
        ([], None),
    ],
)
def test_the_strongest_memories_speak_first(memories, expected):
    assert hint(memories, STORED, {}) == expected


@pytest.mark.parametrize(
    ("nearness", "expected"),
    [
        ({"jack": 0.4, "nora": 0.5}, "nora"),
        ({"jack": THRESHOLD}, "jack"),
        ({"jack": THRESHOLD - 0.01}, None),
        ({"nora": 0.5, "betty": 0.5}, "betty"),
        ({"gandalf": 0.9}, None),
        ({}, None),
    ],
)
def test_else_the_nearest_definition(nearness, expected):
    assert hint([(None, 0.9)], STORED, nearness) == expected


def test_memories_go_before_nearness():
    assert hint([("jack", 0.6)], STORED, {"nora": 0.9}) == "jack"


def test_an_erased_persona_is_never_hinted():
    assert hint([("jack", 0.9)], [], {"jack": 0.9}) is None
