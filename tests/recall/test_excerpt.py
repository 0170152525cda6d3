"""Excerpts end on a word and never inside a character."""

import pytest
from tallystick.recall.excerpt import LEAD, cut, first_paragraphs

FAMILY = "👨‍👩‍👧‍👦"
SCOTLAND = "🏴󠁧󠁢󠁳󠁣󠁴󠁿"


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("one two three", 100, "one two three"),
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two"),
        ("one two three", 8, "one two"),
        ("one two three", 7, "one two"),
        ("one two\nthree", 9, "one two"),
        ("one two three", 1, "o"),
        ("abcdefghij klm", 4, "abcd"),
        ("a bcdefghijklmnop", 10, "a bcdefghi"),
        ("用户身份验证失败", 3, "用户身"),
        ("see 用户身份验证", 6, "see 用户"),
    ],
)
def test_cut(text, limit, shown):
    assert cut(text, limit) == (shown, shown != text)


@pytest.mark.parametrize("whole", [FAMILY, "👍🏽", "🇩🇪", SCOTLAND, "e\u0301", "❤️", "각", "नि", "か\u3099"])
def test_a_character_that_people_see_as_one_stays_whole(whole):
    text = whole * 40
    for limit in range(len(whole), 4 * len(whole)):
        shown, cut_off = cut(text, limit)
        assert cut_off
        assert shown == whole * (limit // len(whole))


def test_flags_are_counted_from_their_first_letter():
    assert cut("🇩🇪🇫🇷🇮🇹 🇪🇸", 5) == ("🇩🇪🇫🇷", True)


def test_a_line_end_of_two_characters_is_not_split():
    assert cut("ab\r\ncd", 3) == ("ab", True)


def test_only_blanks_left_out_is_nothing_left_out():
    assert cut("word   \n ", 4) == ("word", False)


def test_a_cluster_longer_than_the_limit_is_cut_all_the_same():
    shown, cut_off = cut("a" + "\u0301" * 500, 100)
    assert (len(shown), cut_off) == (100, True)


def test_a_limit_below_one_is_refused():
    with pytest.raises(ValueError, match="limit"):
        cut("text", 0)


def test_first_paragraphs_drop_leading_blank_lines():
    assert first_paragraphs("\n\n  Decided.\n\nWhy: speed.\n") == ("Decided.\n\nWhy: speed.", False)


def test_first_paragraphs_end_at_the_limit():
    shown, cut_off = first_paragraphs("word " * 500)
    assert cut_off
    assert LEAD - 5 <= len(shown) <= LEAD
    assert shown.endswith("word")
