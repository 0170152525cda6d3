"""The kinds of secrets: tokens that are known by their form, and values that are known by what stands before them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from . import secret_values as value


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of secret.

    The pattern is tried where one of the `hints` stands. Its group `secret` is what is replaced, or the whole match without
    such a group; `sure` has the last word on it.
    """

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    sure: Callable[[str], bool] = value.anything


_ALONE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
"""Not inside a word, unless that is a line end as JSON writes it."""


def _token(name: str, prefixes: str, rest: str, sure: Callable[[str], bool] = value.anything) -> Kind:
    hints = tuple(prefixes.split())
    return Kind(name, hints, re.compile(f"{_ALONE}(?:{'|'.join(map(re.escape, hints))}){rest}"), sure)


SHORTEST = 16
TOKENS = (
    _token("tallystick_key", "tsk_", "[A-Za-z0-9]{4,64}_[A-Za-z0-9_-]{16,512}"),
    _token("api_key", "sk-", "[A-Za-z0-9_-]{20,512}", value.long_run),
    _token("api_key", "xai- gsk_ pplx- nvapi- tvly- lsv2_pt_ lsv2_sk_ r8_", "[A-Za-z0-9_-]{20,512}", value.mixed),
    _token("stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_", "[A-Za-z0-9]{16,512}"),
    _token("stripe_key", "whsec_", "[A-Za-z0-9+/=]{20,512}"),
    _token("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9]{36,512}"),
    _token("github_token", "github_pat_", "[A-Za-z0-9_]{40,512}"),
    _token("gitlab_token", "glpat- glrt- gldt- glptt-", "[A-Za-z0-9_.-]{20,512}"),
    _token("aws_key", "AKIA ASIA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _token("slack_token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", "[A-Za-z0-9%-]{10,512}"),
    _token("google_key", "AIza", "[A-Za-z0-9_-]{35}"),
    _token("google_key", "GOCSPX-", "[A-Za-z0-9_-]{20,512}"),
    _token("service_token", "npm_ hf_ lin_api_ lin_oauth_", "[A-Za-z0-9]{30,512}"),
    _token("service_token", "dop_v1_ doo_v1_ dor_v1_ shpat_ shpss_ shpca_ shppa_ sbp_ dapi", "[a-f0-9]{32,512}"),
    _token("service_token", "pypi-AgEI rubygems_ dckr_pat_ glsa_ sntrys_ sntryu_ figd_ ATATT3", "[A-Za-z0-9_=-]{20,512}", value.mixed),
    _token("service_token", "ntn_ secret_ PMAK-", "[A-Za-z0-9-]{40,512}", value.mixed),
    _token("private_key", "AGE-SECRET-KEY-1", "[A-Z0-9]{50,512}"),
    _token("jwt", "eyJ", r"(?<![_-]eyJ)[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*)?"),
)  # fmt: skip
"""Tokens with a prefix of their own, which begin a run of at least SHORTEST letters, digits, _ and -."""

AFTER = tuple(
    Kind("google_key" if "ya29" in pattern else "service_token", (), re.compile(pattern))
    for pattern in (
        r"(?<=ya29\.)(?P<secret>[A-Za-z0-9_-]{20,})",
        r"(?<=hv[sb]\.)(?P<secret>[A-Za-z0-9_-]{24,})",
        r"(?<=SG\.)(?P<secret>[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,})",
        r"(?<=[0-9]{8}:)(?P<secret>AA[A-Za-z0-9_-]{32,36})(?![A-Za-z0-9_-])",  # Telegram: bot:token
        r"(?<=[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{6}\.)(?P<secret>[A-Za-z0-9_-]{27,40})(?![A-Za-z0-9_-])",  # Discord
    )
)
"""Tokens of which such a run follows a dot or a colon."""

_HEADER = r"(?P<secret>[A-Za-z0-9._~+/=-]{12,})"
_QUOTE = r"\\{0,3}[\"'`]"
_IS = rf"(?:{_QUOTE})?\s{{0,4}}(?:[:=]|=>|:=)\s{{0,4}}(?:{_QUOTE})?"
_BARE = r"[^\s\"'`\\,;&|<>]"
_OTHER = (
    r"(?![_-]?(?:ids?|at|endpoint|prefix|policy|limit|ttl|length|size|count|expir\w*|"
    r"(?:ur[il]|type|name|path|file|field|header)\w*)\b)"
)
"""What the name of a secret is followed by when it names something else."""
_LINE = r"(?:\s|\\+[nrt]|\d{1,6}(?:\s|→|:|\||\\+t)|[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,80})"
"""What stands between the lines of a key: line ends, numbers that a tool puts before lines, the headers of a key."""


def _place(name: str, hints: str, pattern: str, sure: Callable[[str], bool] = value.anything) -> Kind:
    return Kind(name, tuple(hints.split()), re.compile(pattern, re.IGNORECASE), sure)


_NAMES = (
    ("pass", "pass(?:w(?:or)?d|phrase)"), ("pwd", "pwd"), ("secret", "secret"), ("token", "token"),
    ("credential", "credential"),
    ("key", "(?:(?<=api)|(?<=auth)|(?<=access)|(?<=account)|(?<=private)|(?<=signing)"
     "|(?<=api[_-])|(?<=auth[_-])|(?<=access[_-])|(?<=account[_-])|(?<=private[_-])|(?<=signing[_-])|(?<=secret[_-]))key"),
)  # fmt: skip
"""Names of settings, fields and variables that hold a secret, by what is looked for."""
_IN_QUOTES = rf"(?:{_QUOTE})?\s{{0,4}}(?:[:=]|=>|:=)\s{{0,4}}{_QUOTE}(?={_BARE}+(?:{_QUOTE}|$))"

PLACES = (
    _place(
        "private_key", "-----begin",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:(?!-----)[\s\S]){0,20000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        rf"|(?:{_LINE}{{0,12}}[A-Za-z0-9+/=]{{20,80}}){{1,1000}}(?:{_LINE}{{0,6}}[A-Za-z0-9+/]{{1,80}}={{1,2}})?)",
    ),
    _place("slack_token", "hooks.slack.com", r"hooks\.slack\.com/services/(?P<secret>[A-Za-z0-9_/]{20,})"),
    _place("azure_key", "sig=", r"(?<=[?&])sig=(?P<secret>[A-Za-z0-9%+/=]{40,})"),
    _place("authorization", "authorization", rf"authorization{_IS}(?:[A-Za-z]{{4,12}}\s{{1,4}})?{_HEADER}", value.header),
    _place("authorization", "bearer", rf"bearer\s{{1,4}}{_HEADER}", value.header),
    _place("authorization", 'auth"', rf"auth\"\s?:\s{{0,4}}{_QUOTE}{_HEADER}", value.header),
    _place(
        "cookie", "cookie",
        rf"cookie(?:{_QUOTE})?\s?:\s{{0,4}}(?:{_QUOTE})?(?P<secret>[\w.%-]{{1,64}}=[^\r\n\"'\\]{{8,4096}})", value.cookies,
    ),
    _place("url_password", "://", r"://[^\s:/@\"'<>\\\[]{0,128}:(?P<secret>[^\s/@\"'<>\\]{1,256})@", value.password),
    _place("login", "curl", r"curl\b[^\n]{0,200}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,64}:(?P<secret>[^\s\"'\\]{3,256})", value.login),
    *(
        _place(
            "env_secret", hint,
            rf"(?-i:(?=[A-Z]{{3}})){name}{_OTHER}(?-i:_[A-Z0-9]{{1,20}})?(?:=(?:{_QUOTE})?|{_IN_QUOTES})(?P<secret>{_BARE}{{6,512}})",
            value.setting,
        )
        for hint, name in _NAMES
    ),
    *(
        _place(
            "named_secret", hint,
            rf"{name}{_OTHER}(?:[_-][a-z0-9]{{1,20}})?{_IS}(?P<secret>{_BARE}{{8,512}})(?=[\s\"'`\\,;&|<>]|$)",
            value.assigned,
        )
        for hint, name in _NAMES
    ),
    _place(
        "named_secret", "pass",
        rf"passw(?:or)?d[ \t]{{1,4}}(?:(?:is|to)[ \t])?(?:{_QUOTE})?(?P<secret>{_BARE}{{8,128}})(?=[\s\"'`\\,;&|<>]|$)", value.assigned,
    ),
)  # fmt: skip
"""Values by their place. Hints are in lower case, as they are looked for."""
