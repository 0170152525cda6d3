"""The fan-out plan and the merging of its results."""

import pytest
from tallystick.recall.topics import Branch, Group, merge, plan, searched_text

SHORT = "How do we deploy?"
BROAD = "We talked about several things. " * 7  # 223 characters
LONG = "First we looked at the deployment pipeline and its caches. " * 11  # 648


@pytest.mark.parametrize(
    ("full", "use", "expected"),
    [(None, True, "q"), ("", True, "q"), ("  ", True, "q"), (" whole ", True, "whole"), ("whole", False, "q")],
)
def test_searched_text(full, use, expected):
    assert searched_text(" q ", full, use) == expected


@pytest.mark.parametrize(
    ("text", "topics", "branches"),
    [
        (SHORT, None, 1),
        (SHORT, "a,b,c", 1),
        (BROAD, None, 1),
        (BROAD, "a", 1),
        (BROAD, "a, A ,a", 1),
        (BROAD, "a,b", 2),
        (BROAD, "a,b,c", 3),
        (BROAD, "a,b,c,d", 4),
        (BROAD, "a,b,c,d,e", 5),
        (BROAD, "a,b,c,d,e,f", 5),
        (LONG, None, 2),
        (LONG, "a", 3),
        (LONG, "a,b", 2),
        ("x" * 199, "a,b", 1),
        ("x" * 200, "a,b", 2),
        ("x" * 198 + "  ", "a,b", 1),
        ("汉" * 200, "a,b", 2),
    ],
)
def test_when_it_fans_out(text, topics, branches):
    made = plan(text, topics)
    assert len(made.branches) == branches
    assert made.fanned_out == (branches > 1)


@pytest.mark.parametrize(
    ("topics", "per_topic", "total"),
    [(None, 10, 10), ("a,b", 8, 16), ("a,b,c", 7, 21), ("a,b,c,d", 6, 24), ("a,b,c,d,e", 6, 30)],
)
def test_the_table(topics, per_topic, total):
    made = plan(BROAD, topics)
    assert (made.per_topic, made.max_total) == (per_topic, total)


def test_topics_are_trimmed_folded_and_named_as_written():
    made = plan(BROAD, " Bearer  Auth ,bearer auth,BEARER AUTH, Straße,STRASSE,,  ,deploy")
    assert [branch.topic for branch in made.branches] == ["Bearer Auth", "Straße", "deploy"]
    assert made.dropped == ()


def test_dropped_topics_are_named():
    eleven = "one two three four five six seven eight nine ten eleven"
    made = plan(BROAD, f"a,{eleven},b,c,d,e,f,g")
    assert [branch.topic for branch in made.branches] == list("abcde")
    assert made.dropped == (eleven, "f", "g")


def test_ten_words_are_allowed():
    ten = "one two three four five six seven eight nine ten"
    assert plan(BROAD, f"a,{ten}").branches[1] == Branch(ten, ten)


def test_dropped_topics_are_named_without_fan_out_too():
    assert plan(SHORT, "a,b,c,d,e,f").dropped == ("f",)


def test_a_search_that_stays_whole_looks_for_the_whole_text():
    assert plan(BROAD, "a").branches[0].text == BROAD.strip()


@pytest.mark.parametrize(("length", "count"), [(600, 2), (900, 3), (1200, 4), (1500, 5), (30000, 5)])
def test_a_long_text_is_cut_into_up_to_five_segments(length, count):
    sentence = "The cache of the build was cold again today. "
    text = (sentence * (length // len(sentence) + 1)).strip()
    made = plan(text)
    assert len(made.branches) == count
    assert " ".join(branch.text for branch in made.branches) == text
    assert all(branch.text.startswith("The cache") and branch.text.endswith("today.") for branch in made.branches)
    lengths = [len(branch.text) for branch in made.branches]
    assert max(lengths) - min(lengths) <= 2 * len(sentence)


def test_chinese_sentences_are_borders():
    made = plan("用户身份验证失败需要处理，请检查日志。" * 40)
    assert len(made.branches) == 2
    assert all(branch.text.endswith("。") for branch in made.branches)


def test_lines_are_borders():
    made = plan("\n".join(f"error {number}: connection refused by host" for number in range(30)))
    assert made.fanned_out
    assert all(branch.text.startswith("error ") for branch in made.branches)


def test_a_text_without_full_stops_is_cut_on_words():
    made = plan("pipeline deploy " * 60)
    assert len(made.branches) == 3
    words = [word for branch in made.branches for word in branch.text.split()]
    assert set(words) == {"pipeline", "deploy"}
    assert len(words) == 120


def test_a_text_without_any_border_stays_one_search():
    assert not plan("x" * 5000).fanned_out


def test_one_topic_of_a_long_text_leads_its_segments():
    made = plan(LONG * 5, "caches")
    assert made.branches[0] == Branch("caches", "caches")
    assert len(made.branches) == 5


def test_labels_are_short():
    assert all(len(branch.topic) <= 80 for branch in plan(LONG).branches)


def test_merge_is_flat_distinct_and_grouped():
    made = plan(BROAD, "bearer auth,deploy")
    merged = merge(made, [[("mem_1", 0.9), ("mem_2", 0.4)], [("mem_2", 0.8), ("mem_3", 0.3)]])
    assert merged.memories == (("mem_1", 0.9), ("mem_2", 0.8), ("mem_3", 0.3))
    assert merged.groups == (Group("bearer auth", ("mem_1", "mem_2")), Group("deploy", ("mem_2", "mem_3")))


def test_merge_keeps_the_shares_of_the_table():
    made = plan(BROAD, "a,b,c")
    merged = merge(made, [[(f"{topic}{number}", 0.5) for number in range(20)] for topic in "abc"])
    assert len(merged.memories) == 21
    assert [len(group.memory_ids) for group in merged.groups] == [7, 7, 7]
    assert [memory for memory, _ in merged.memories[:4]] == ["a0", "b0", "c0", "a1"]
    assert {memory for group in merged.groups for memory in group.memory_ids} == {
        memory for memory, _ in merged.memories
    }


def test_merge_of_one_search_keeps_its_order_and_makes_no_groups():
    merged = merge(plan(SHORT), [[(f"m{number}", number / 20) for number in range(12)]])
    assert [memory for memory, _ in merged.memories] == [f"m{number}" for number in range(10)]
    assert merged.groups == ()


def test_merge_wants_one_list_a_branch():
    with pytest.raises(ValueError, match="2 branches, but 1 results"):
        merge(plan(BROAD, "a,b"), [[]])
