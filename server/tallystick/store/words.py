"""From a person's or a model's query to an FTS5 expression in which nothing they wrote is syntax."""

from __future__ import annotations

import re
from itertools import pairwise

from .text import CJK, dates_in, fold, in_words, operator_word, quoted, scope, spaced

_STOP = """
    a about after again all also am an and any are as at be because been before being but by can could did do
    does doing down during each few for from further had has have having he her here hers him his how i if in
    into is it its itself just let me more most my no nor not of off on once only or other our out over own
    please same she should so some such than that the their them then there these they this those through to too
    under until up us very was we were what when where which while who whom why will with would you your yours
"""
STOP = frozenset(_STOP.split())
SEARCHED = "title body context date"  # columns
LONGEST_PHRASE = 16  # characters of a run of CJK that is looked for as it stands
TERMS = 64  # more distinct words than this bring nothing but time
_token = re.compile(rf"(?P<cjk>[{CJK}]+)|(?P<word>\.?[^\W{CJK}]+(?:[-./:@'’&\\+#~]+[^\W{CJK}]+)*[+#]*)")
_parts = re.compile(r"[-./:@&\\+#~]+")


def expression(query: str, owner: int) -> str | None:
    """The FTS5 expression that finds texts of `owner` holding any word of `query`; None where the query has no words."""
    found = terms(query)
    if not found:
        return None
    either = " OR ".join(quoted(term) for term in found)
    return f"scope:{quoted(scope(owner))} AND {{{SEARCHED}}}:({either})"


def terms(query: str) -> list[str]:
    """The phrases a query is looked for by, as the word index spells them.

    * Stop words are dropped, unless the query has nothing else.
    * A word with signs inside (`OC-41252`, `2026-03-14`, `src/app.py`) is a phrase; where it has no digit, its parts count
      too. A date counts in words too, as the date column has it.
    * `C++`, `C#`, `.NET` and pictorial symbols are looked for by the words that stand for them.
    * A run of CJK characters is a phrase; a longer one counts by its pairs too, since it has no blanks to tell its words.
    """
    folded = fold(query)
    every: list[str] = []
    for found in _token.finditer(folded if folded.isascii() else _symbols_apart(folded)):
        every += _cjk_terms(found["cjk"]) if found["cjk"] else _word_terms(found["word"])
    every += [in_words(day).lower() for day in dates_in(folded)]
    telling = [term for term in every if term not in STOP]
    return list(dict.fromkeys(telling or every))[:TERMS]


def pieces(query: str) -> list[str]:
    """What to look for in a folded text to tell which share of a query's words it holds.

    Stop words are dropped, unless the query has nothing else. The ending of a longer word is dropped and the s of a plural, so
    that `invoices` counts for `invoice`; a run of CJK characters counts by its pairs.
    """
    every: list[str] = []
    for found in _token.finditer(fold(query)):
        run, word = found["cjk"] or "", found["word"]
        every += [a + b for a, b in pairwise(run)] or ([run] if run else [])
        if word and word not in STOP:
            every.append(_shortened(word))
    return list(dict.fromkeys(every or fold(query).split()))[:TERMS]


def _shortened(word: str) -> str:
    base, apostrophe, rest = word.replace("’", "'").partition("'")
    if apostrophe and len(rest) <= 2 and base:
        word = base
    if not word.isalpha():
        return word
    return word[:-2] if len(word) > 6 else word[:-1] if len(word) > 3 and word.endswith("s") else word


def _symbols_apart(folded: str) -> str:
    # CJK runs must stay whole here, so only the other characters are translated.
    return "".join(c if c.isascii() or c.isalnum() else spaced(c) for c in folded)


def _cjk_terms(run: str) -> list[str]:
    whole = (
        [" ".join(run)] if len(run) <= LONGEST_PHRASE else []
    )  # a longer one is a text, and as a phrase slow to look for
    return whole if len(run) <= 4 else [*whole, *(f"{a} {b}" for a, b in pairwise(run[: TERMS + 1]))]


def _word_terms(word: str) -> list[str]:
    standing = operator_word(word)
    if standing is not None:
        return [standing]
    word = word.rstrip("+#").lstrip(".")
    base, apostrophe, rest = word.replace("’", "'").partition("'")
    if apostrophe and len(rest) <= 2:  # user's, don't, we'll
        return [base] if base else []
    parts = [part for part in _parts.split(word) if part]
    if len(parts) < 2:
        return [word] if word else []
    whole = " ".join(parts)
    if any(c.isdigit() for c in word):
        return [whole]
    return [whole, *(part for part in parts if part not in STOP)]
