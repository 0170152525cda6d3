"""Text as the full-text indexes see it. Stored text is never changed by this; snippets are cut from the original.

* `fold`: NFKC and case folding, for literal comparison.
* `words_of`: folded, each Han, Hiragana, Katakana and Hangul character between blanks (so that two characters of a longer word
  are a phrase), and symbols that carry meaning turned into words: `C++` gains `cplusplus`, `C#` `csharp`, `.NET` `dotnet`,
  an emoji or other pictorial symbol `sym127881`. The tokenizer would drop all of these; the query side does the same, so
  that `C++` finds C++ and not every lone c.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date

# Hangul letters, iteration marks, Hiragana and Katakana, Han with its extensions, Hangul syllables: a regex class.
CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_is_cjk = re.compile(f"[{CJK}]")
# These two begin with the rare sign and look back from it: a search for the word before it would try every word of a text.
_operators = re.compile(r"\+\+(?![a-z_+])|[+#](?![\w+#])")
_iso_dates = re.compile(r"-(\d{2})-(\d{2})(?!\d)")
_base = re.compile(r"(?<!\w)[a-z][a-z0-9]*$")
_dotnet = re.compile(r"(?<![\w.])\.net\b")
_suffix_date = re.compile(r"(?<!\d)(\d{4})(\d{2})(\d{2})$")
_NAMES = {"+": "plus", "#": "sharp"}
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
DATES = 20  # dates of one text that are noted
NAME_CHARS = 40  # of a word before ++ or #


class _Spacing(dict[int, str]):
    """A translation table that makes its entries as they are needed."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if _is_cjk.match(character):
            made = f" {character} "
        elif unicodedata.category(character) == "So":
            made = f" sym{code} "
        else:
            made = character
        self[code] = made
        return made


_spacing = _Spacing()


def fold(text: str) -> str:
    """NFKC and case folding: equal for texts a reader takes for the same."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def words_of(text: str) -> str:
    """What the word index is given of a text."""
    return spaced(fold(text))


def spaced(folded: str) -> str:
    """The second half of `words_of`."""
    if not folded.isascii():
        folded = folded.translate(_spacing)
    if "+" in folded or "#" in folded:
        folded = _operators.sub(_named, folded)
    if ".net" in folded:
        folded = _dotnet.sub(" .net dotnet ", folded)
    return folded


def _named(sign: re.Match[str]) -> str:
    base = _base.search(sign.string[max(0, sign.start() - NAME_CHARS) : sign.start()])
    return f"{sign[0]} {_symbol_word(base[0], sign[0])} " if base else sign[0]


def _symbol_word(base: str, signs: str) -> str:
    return base + "".join(_NAMES[sign] for sign in signs)


def operator_word(word: str) -> str | None:
    """The word that stands for `c++`, `c#`, `.net` in the index; None for any other word."""
    if word == ".net":
        return "dotnet"
    base = word.rstrip("+#")
    signs = word[len(base) :]
    return _symbol_word(base, signs) if _base.fullmatch(base) and _operators.fullmatch(signs) else None


def scope(owner: int) -> str:
    """The token that confines a full-text query to one owner: long enough for trigrams, and ending for the word
    tokenizer in a digit, which keeps the stemmer off."""
    return f"|u{owner}|"


def quoted(text: str) -> str:
    """A full-text phrase: nothing in it is syntax."""
    return '"' + text.replace('"', '""') + '"'


def in_words(day: date) -> str:
    """`08 May 2023`, in English whatever the locale."""
    return f"{day.day:02} {MONTHS[day.month - 1]} {day.year}"


def dates_in(text: str, conversation_id: str | None = None) -> list[date]:
    """Dates that a text names as YYYY-MM-DD, and the YYYYMMDD that ends a conversation id; each once."""
    found = [match.groups() for match in _suffix_date.finditer(conversation_id or "")]
    for match, _ in zip(_iso_dates.finditer(text), range(DATES), strict=False):
        start = match.start()
        year = text[max(0, start - 4) : start]
        if len(year) == 4 and year.isdecimal() and not text[max(0, start - 5) : start - 4].isdecimal():
            found.append((year, match[1], match[2]))
    days = []
    for year, month, day in found:
        try:
            days.append(date(int(year), int(month), int(day)))
        except ValueError:  # 2026-13-45 is no date
            continue
    return list(dict.fromkeys(days))
