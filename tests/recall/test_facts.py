"""Merge patches exactly as RFC 7396 says, and the size of the facts."""

import copy
from typing import Any

import pytest
from tallystick.facts import MAX_BYTES, merge_patch, size

RFC_7396_APPENDIX_A = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]


@pytest.mark.parametrize(("target", "patch", "expected"), RFC_7396_APPENDIX_A)
def test_the_examples_of_the_rfc(target, patch, expected):
    before = copy.deepcopy((target, patch))
    assert merge_patch(target, patch) == expected
    assert (target, patch) == before, "the arguments are left alone"


def test_patches_one_after_the_other():
    document: dict[str, Any] = {}
    steps: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"a": [1, None, 2]}, {"a": [1, None, 2]}),
        ({"b": {"c": None, "d": 1}}, {"a": [1, None, 2], "b": {"d": 1}}),
        ({"b": {"d": None}}, {"a": [1, None, 2], "b": {}}),
        ({"a": {"x": 1}}, {"a": {"x": 1}, "b": {}}),
        ({"zz": None}, {"a": {"x": 1}, "b": {}}),
        ({"a": None}, {"b": {}}),
        ({}, {"b": {}}),
    ]
    for patch, expected in steps:
        document = merge_patch(document, patch)
        assert document == expected


def test_nulls_in_objects_in_arrays_are_values():
    assert merge_patch({}, {"a": [{"b": None}]}) == {"a": [{"b": None}]}


@pytest.mark.parametrize(
    ("document", "expected"),
    [({}, 2), ({"a": 1}, 7), ({"a": "é"}, 10), ({"名": "汉字"}, 16), ({"a": "😀"}, 12), ({"a": [1, None]}, 14)],
)
def test_size_is_utf8_bytes_of_compact_json(document, expected):
    assert size(document) == expected


def test_the_limit_counts_what_characters_weigh():
    chinese = {"note": "汉" * 1400}
    assert size(chinese) > MAX_BYTES > size({"note": "x" * 1400})
