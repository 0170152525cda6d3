"""Secrets in transcripts: replaced before anything is stored, and counted by kind.

Own patterns rather than a library. The kept candidate (detect-secrets) works on lines of source files: it reads 4 MB/s
with seven detectors on, tells where a secret is only by its text, knows no sk-ant-, sk-proj- or github_pat_ key, and
its entropy detectors take every commit hash for a secret. Here each kind has a literal that must be in the text before
its pattern is tried, repetitions that could be tried again are bounded, and what has no telltale form (hashes,
UUIDs, base64) is left alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass


def _from(literal: str, rest: str) -> str:
    """A token that begins with `literal`, not inside a word unless that is a line end as JSON writes it.

    The literal comes first and is looked behind afterwards: so the pattern is found at the speed of a text search.
    """
    return rf"{literal}(?:(?<![A-Za-z0-9_-]{literal})|(?<=\\[nrt]{literal})){rest}"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of secret. Group `secret` of the pattern is what is replaced, or the whole match without such a group."""

    name: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    sure: Callable[[str], bool]


_HEADER = r"[A-Za-z0-9._~+/=-]{12,}"


def _any(secret: str) -> bool:
    return True


def _key_like(secret: str) -> bool:
    """sk- keys hold a long random run; a class name such as sk-loading-spinner-container does not."""
    return any(len(run) >= 12 and _mixed(run) for run in re.split("[-_]", secret[3:])) or len(secret) >= 64


def _mixed(text: str) -> bool:
    return any(c.isdigit() for c in text) and any(c.isalpha() for c in text)


def _token_like(secret: str) -> bool:
    return any(c.isdigit() for c in secret) and not secret.startswith(("$", "{", "<"))


def _literal(secret: str) -> bool:
    """Not a placeholder or a variable."""
    return not secret.startswith(("$", "{", "<", "[", "%", "*", "(")) and not secret.isdigit()


_QUOTE = r"[\"'\\]{0,3}"
_IS = rf"{_QUOTE}\s{{0,4}}[:=]\s{{0,4}}{_QUOTE}"

KINDS = tuple(
    Kind(name, literals, re.compile(pattern), sure)
    for name, literals, pattern, sure in (
        (
            "private_key", ("PRIVATE KEY",),
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:(?:(?!-----)[\s\S]){0,20000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"|(?:(?:\s|\\[nr]){0,4}[A-Za-z0-9+/=]{20,80}){1,1000})", _any,
        ),
        ("tallystick_key", ("tsk_",), _from("tsk_", r"[A-Za-z0-9]{4,64}_[A-Za-z0-9_-]{16,}"), _any),
        ("api_key", ("sk-",), _from("sk-", r"[A-Za-z0-9_-]{20,}"), _key_like),
        ("stripe_key", ("sk_live_", "sk_test_"), _from("sk_", r"(?:live|test)_[A-Za-z0-9]{16,}"), _any),
        ("stripe_key", ("rk_live_", "rk_test_"), _from("rk_", r"(?:live|test)_[A-Za-z0-9]{16,}"), _any),
        ("stripe_key", ("whsec_",), _from("whsec_", r"[A-Za-z0-9+/=]{20,}"), _any),
        ("github_token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _from("gh", r"[pousr]_[A-Za-z0-9]{36,}"), _any),
        ("github_token", ("github_pat_",), _from("github_pat_", r"[A-Za-z0-9_]{40,}"), _any),
        ("gitlab_token", ("glpat-",), _from("glpat-", r"[A-Za-z0-9_.-]{20,}"), _any),
        ("aws_key", ("AKIA",), _from("AKIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"), _any),
        ("aws_key", ("ASIA",), _from("ASIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"), _any),
        (
            "aws_secret", ("ecret_access_key", "SECRET_ACCESS_KEY", "ecretAccessKey"),
            rf"(?:[Ss]ecret_access_key|SECRET_ACCESS_KEY|[Ss]ecretAccessKey){_IS}(?P<secret>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+])",
            _any,
        ),
        ("slack_token", ("xox",), _from("xox", r"[a-z]-[A-Za-z0-9-]{10,}"), _any),
        ("slack_token", ("xapp-",), _from("xapp-", r"[A-Za-z0-9-]{10,}"), _any),
        ("slack_token", ("hooks.slack.com",), r"hooks\.slack\.com/services/(?P<secret>[A-Za-z0-9_/]{20,})", _any),
        ("google_key", ("AIza",), _from("AIza", r"[A-Za-z0-9_-]{35}"), _any),
        ("google_key", ("ya29.",), _from("ya29[.]", r"[A-Za-z0-9_-]{20,}"), _any),
        ("service_token", ("npm_",), _from("npm_", r"[A-Za-z0-9]{36}"), _any),
        ("service_token", ("hf_",), _from("hf_", r"[A-Za-z0-9]{30,}"), _any),
        ("service_token", ("lin_api_", "lin_oauth_"), _from("lin_", r"(?:api|oauth)_[A-Za-z0-9]{30,}"), _any),
        ("service_token", ("SG.",), _from("SG[.]", r"[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}"), _any),
        ("service_token", ("pypi-AgEI",), _from("pypi-AgEI", r"[A-Za-z0-9_-]{40,}"), _any),
        ("jwt", ("eyJ",), _from("eyJ", r"[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"), _any),
        (
            "authorization", ("uthorization", "AUTHORIZATION"),
            rf"(?:[Aa]uthorization|AUTHORIZATION){_IS}(?:[A-Za-z]{{4,12}}\s{{1,4}})?(?P<secret>{_HEADER})", _token_like,
        ),
        ("authorization", ("earer ", "BEARER "), rf"(?:[Bb]earer|BEARER)\s{{1,4}}(?P<secret>{_HEADER})", _token_like),
        (
            "authorization", ("pi-key", "PI-KEY", "pi-Key", "PI-Key"),
            rf"(?:[Aa]pi|API)-(?:[Kk]ey|KEY){_IS}(?P<secret>{_HEADER})", _token_like,
        ),
        ("url_password", ("://",), r"://[^\s:/@\"'<>\\]{0,128}:(?P<secret>[^\s/@\"'<>\\]{1,256})@", _literal),
        (
            "env_secret", ("SECRET", "TOKEN", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY"),
            r"(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY|ACCESS_KEY)(?:_[A-Z0-9]{1,20})?"
            r"=[\"'\\]{0,2}(?P<secret>[^\s\"'\\;&|`]{8,512})", _literal,
        ),
    )
)  # fmt: skip


def redact(text: str, counts: Counter[str]) -> str:
    """`text` with every secret replaced by `[redacted:<kind>]`; adds how many of each kind to `counts`."""
    for kind in KINDS:
        for literal in kind.literals:
            if literal in text:
                text = _replace(kind, text, counts)
                break
    return text


def _replace(kind: Kind, text: str, counts: Counter[str]) -> str:
    def swap(match: re.Match[str]) -> str:
        named = match.groupdict().get("secret")
        secret = named if named is not None else match.group()
        if not kind.sure(secret):
            return match.group()
        counts[kind.name] += 1
        if named is None:
            return f"[redacted:{kind.name}]"
        start, end = match.start("secret") - match.start(), match.end("secret") - match.start()
        whole = match.group()
        return f"{whole[:start]}[redacted:{kind.name}]{whole[end:]}"

    return kind.pattern.sub(swap, text)
