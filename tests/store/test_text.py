"""Folding, spacing, and queries in which nothing is syntax."""

from __future__ import annotations

from datetime import date

import pytest
from tallystick.store.text import dates_in, fold, in_words, words_of
from tallystick.store.words import pieces, terms


@pytest.mark.parametrize(
    ("text", "folded"),
    [("ＡＢＣ①", "abc1"), ("Straße", "strasse"), ("ÉCOLE", "école"), ("ﬁle", "file"), ("", ""), ("a\u030a", "å")],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("用户身份", ["用", "户", "身", "份"]),
        ("itgc用户", ["itgc", "用", "户"]),
        ("ひらカナ한글", ["ひ", "ら", "カ", "ナ", "한", "글"]),
        ("C++17 and g++", ["cplusplus", "17", "gplusplus"]),
        ("C# or F#", ["csharp", "fsharp"]),
        (".NET core", ["dotnet"]),
        ("done 🎉", ["sym127881"]),
        ("★ star", ["sym9733"]),
    ],
)
def test_words_of(text: str, holds: list[str]) -> None:
    assert set(holds) <= set(words_of(text).split())


@pytest.mark.parametrize("text", ["issue #12", "a+b", "x+1", "asp.net", "## heading"])
def test_signs_that_mean_nothing_stay(text: str) -> None:
    assert words_of(text) == text


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("What did we decide about the database?", ["decide", "database"]),
        ("what is it", ["what", "is", "it"]),
        ("OC-41252", ["oc 41252"]),
        ("2026-03-14", ["2026 03 14", "14 march 2026"]),
        ("follow-up", ["follow up", "follow"]),
        ("src/app.py", ["src app py", "src", "app", "py"]),
        ("C++", ["cplusplus"]),
        ("Nicole's plan", ["nicole", "plan"]),
        ('say "hi" OR NOT (x', ["say", "hi", "x"]),
        ("用户", ["用 户"]),
        ("用户身份验", ["用 户 身 份 验", "用 户", "户 身", "身 份", "份 验"]),
        ("🎉", ["sym127881"]),
        ("--- ???", []),
    ],
)
def test_terms(query: str, wanted: list[str]) -> None:
    assert terms(query) == wanted


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("the invoices of Nicole's", ["invoic", "nicole"]),
        ("pools, C++ and OC-41252", ["pool", "c++", "oc-41252"]),
        ("用户身", ["用户", "户身"]),
        ("the", ["the"]),
        ("🎉", ["🎉"]),
        ("", []),
    ],
)
def test_pieces(query: str, wanted: list[str]) -> None:
    assert pieces(query) == wanted


def test_terms_are_bounded() -> None:
    assert len(terms(" ".join(f"word{i}" for i in range(500)))) == 64


def test_dates() -> None:
    assert dates_in("from 2026-03-14 to 2026-13-45, 12026-03-14", "nc-rel-20260401") == [
        date(2026, 4, 1),
        date(2026, 3, 14),
    ]
    assert in_words(date(2023, 5, 8)) == "08 May 2023"
