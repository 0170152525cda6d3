"""Fusing two candidate lists, and the confidence."""

import itertools

import pytest
from tallystick.recall.ranking import WEIGHTS, Weights, confidence, fuse


def order(lexical, vectors):
    return [one.id for one in fuse(lexical, vectors)]


def test_the_formula():
    ranked = {one.id: one for one in fuse([("a", 8.0), ("b", 2.0)], [("a", 0.5), ("c", 0.9), ("d", 0.1)])}
    assert ranked["a"].score == pytest.approx(0.3 * 1 + 0.7 * 0.5)
    assert ranked["b"].score == pytest.approx(0.3 * 0.25 + 0.7 * 0.1), "missing from the vectors: their lowest cosine"
    assert ranked["c"].score == pytest.approx(0.7 * 0.9)
    assert ranked["b"].cosine is None
    assert ranked["c"].cosine == 0.9


def test_best_first():
    assert order([("a", 8.0), ("b", 2.0)], [("a", 0.5), ("c", 0.9), ("d", 0.1)]) == ["a", "c", "b", "d"]


def test_one_list_is_enough():
    assert order([("a", 1.0), ("b", 3.0)], []) == ["b", "a"]
    assert order([], [("a", -0.2), ("b", 0.1)]) == ["b", "a"]
    assert order([], []) == []


def test_ties_go_to_the_newer_id_whatever_the_order_of_the_lists():
    vectors = [("mem_01A", 0.5), ("mem_01C", 0.5), ("mem_01B", 0.5)]
    for shuffled in itertools.permutations(vectors):
        assert order([], shuffled) == ["mem_01C", "mem_01B", "mem_01A"]


def test_of_an_id_given_twice_the_better_value_counts():
    assert fuse([], [("a", 0.2), ("a", 0.7), ("a", -0.1)])[0].cosine == 0.7


def test_other_weights():
    only_words = Weights(lexical=1.0, cosine=0.0)
    assert [one.id for one in fuse([("a", 2.0), ("b", 1.0)], [("b", 1.0)], only_words)] == ["a", "b"]


def test_confidence_rises_with_both_and_stays_within_its_range():
    cosines = [-1, -0.1, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    for covered in (0.0, 0.5, 1.0):
        values = [confidence(cosine, covered) for cosine in cosines]
        assert values == sorted(values)
        assert len(set(values)) == len(values)
        assert all(0 <= value <= 1 for value in values)
    assert confidence(0.4, 0.0) < confidence(0.4, 0.5) < confidence(0.4, 1.0)


def test_confidence_has_sensible_ends():
    assert confidence(0.0, 0.0) < 0.05
    assert confidence(WEIGHTS.even, 0.0) == 0.5
    assert confidence(0.65, 1.0) > 0.95


def test_a_memory_without_a_vector_yet_is_judged_by_its_words():
    assert confidence(None, 1.0) == confidence(WEIGHTS.unknown, 1.0) > confidence(None, 0.0)


def test_a_memory_without_a_vector_yet_is_placed_by_its_words() -> None:
    vectors = [("near", 0.8), ("middle", 0.5), ("far", 0.2)]
    lexical = [("new", 10.0), ("old", 10.0), ("half", 5.0)]
    placed = {one.id: one.score for one in fuse(lexical, vectors, waiting=["new", "half"])}
    assert placed["new"] == pytest.approx(0.3 + 0.7 * 0.8)
    assert placed["half"] == pytest.approx(0.3 * 0.5 + 0.7 * 0.5)
    assert placed["old"] == pytest.approx(0.3 + 0.7 * 0.2)  # it has one, below those listed
    assert [one.id for one in fuse(lexical, [], waiting=["new", "old", "half"])][-1] == "half"
