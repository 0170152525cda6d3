"""Secrets in transcripts: replaced before anything is stored, and counted by kind.

Own patterns rather than a library. Weighed on 85 secrets as transcripts hold them: detect-secrets works on lines of source
files, reads 4 MB/s with seven detectors on and takes every commit hash for a secret; betterleaks (the rules of gitleaks,
24 MB of Go for each platform) misses 29 of the 85 at 5 MB/s; classifinder-engine misses 38 at 0.3 MB/s. Both miss a key
that is cut off or stands in numbered lines, as tools print it. Here a pattern is tried only where a hint to it stands,
repetitions that could be tried again are bounded, and what has no telltale form and no telltale name (hashes, UUIDs,
base64) is left alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from .secret_kinds import AFTER, PLACES, SHORTEST, TOKENS, Kind

_RUN = re.compile(rf"[A-Za-z0-9_-]{{{SHORTEST},}}+")
_BY_PREFIX = {prefix: kind for kind in TOKENS for prefix in kind.hints}
_BY_HINT = {hint: [kind for kind in PLACES if hint in kind.hints] for kind in PLACES for hint in kind.hints}
_PREFIX = re.compile("|".join(map(re.escape, sorted(_BY_PREFIX, key=len, reverse=True))))

Span = tuple[int, int, str]


def redact(text: str, counts: Counter[str]) -> str:
    """`text` with every secret replaced by `[redacted:<kind>]`; adds how many of each kind to `counts`."""
    spans = _apart([*_tokens(text), *_placed(text)])
    if not spans:
        return text
    parts, done = [], 0
    for start, end, name in spans:
        parts += [text[done:start], f"[redacted:{name}]"]
        counts[name] += 1
        done = end
    return "".join([*parts, text[done:]])


def _tokens(text: str) -> Iterator[Span]:
    """Secrets by their form. One look at the long runs of a text costs less than one for each prefix."""
    for run in _RUN.finditer(text):
        start, done = run.start(), dict[str, int]()
        for prefix in _PREFIX.finditer(run[0]):
            at = start + prefix.start()
            if at >= done.get(prefix[0], 0):
                done[prefix[0]], found = _at(_BY_PREFIX[prefix[0]], text, at)
                yield from found
        if text[start - 1 : start] in (".", ":"):
            for kind in AFTER:
                yield from _at(kind, text, start)[1]


def _placed(text: str) -> Iterator[Span]:
    """Secrets by what stands before them, in any letter case."""
    lower = text.lower()
    if len(lower) != len(text):  # a letter whose small form is two
        lower = "".join(c.lower() if c.isascii() else c for c in text)
    for hint, kinds in _BY_HINT.items():
        at = lower.find(hint)
        if at < 0:
            continue
        done = [0] * len(kinds)
        while at >= 0:
            for number, kind in enumerate(kinds):
                if at >= done[number]:
                    done[number], found = _at(kind, text, at)
                    yield from found
            at = lower.find(hint, at + len(hint))


def _at(kind: Kind, text: str, at: int) -> tuple[int, list[Span]]:
    """(where what the pattern takes ends, the secret in it if it is one)."""
    match = kind.pattern.match(text, at)
    if match is None:
        return 0, []
    group = "secret" if "secret" in kind.pattern.groupindex else 0
    if "[redacted:" in match[group] or not kind.sure(match[group]):
        return match.end(), []
    return match.end(), [(*match.span(group), kind.name)]


def _apart(spans: list[Span]) -> list[Span]:
    """In order, those that overlap as one: of the kind that takes most of it, or was found first."""
    apart: list[Span] = []
    longest = 0
    for start, end, name in sorted(spans, key=lambda span: span[0]):
        if apart and start < apart[-1][1]:
            first, last, known = apart[-1]
            if end - start > longest:
                longest, known = end - start, name
            apart[-1] = first, max(last, end), known
        else:
            apart.append((start, end, name))
            longest = end - start
    return apart
