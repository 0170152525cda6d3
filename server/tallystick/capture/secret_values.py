"""Whether what stands where a secret would stand is one: code, prose and placeholders stand there as well."""

from __future__ import annotations

import re

_OPENING = ("$", "{", "<", "[", "%", "*", "(", "./", "~", "#", "@", "!", "&", "http", "0x")
_PLACEHOLDER = re.compile(
    r"(?i)your|example|placeholder|change.?me|dummy|redacted|sample|insert|x{4}|\*{3}|\.\.\.|^(?:test|fake|my|some)[-_]|"
    r"^(?:required|optional|disabled|undefined|generated|unchanged|inherited|anonymous)$|"
    r"^(?:process\.env|os\.environ|import\.meta)\b"
)
_PATH = re.compile(
    r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[\w$]+)+|_?[a-z]+(?:_[a-z]+)+|_?[A-Z]+(?:_[A-Z]+)+|/(?:[\w.-]+/)+[\w.-]*"
)
"""`config.token`, `User::secret`, `close_on_server`, `/run/secrets`: names and paths."""
_SAID = re.compile(r"(?i)pass|passw(?:or)?d|passphrase|pwd|pw|secret|token|key")
"""A password that says that it is one, as in `user:password@host`."""
_TIME_OR_ID = re.compile(r"\d{4}-\d\d-\d\d|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-")
_TERM = re.compile(
    r"(?i:sha\d+|md\d|base\d+|utf\d+|oauth\d|x509|ed25519|p\d{3}|rsa\d*|aes\d*|s3|ec2|k8s|i18n|l10n|v\d+|u?int\d+|float\d+|"
    r"argon2|web\d|http\d|h[1-6]|id\d|part\d|step\d|line\d+)(?![a-z])"
)
"""Digits that belong to a word of the trade, not to a secret."""
_NAME = re.compile(r"(?i)passw|passphrase|pwd|secret|token|key|credential|auth")


def anything(secret: str) -> bool:
    """A form that nothing else has."""
    return True


def long_run(secret: str) -> bool:
    """sk- keys hold a long random run; a class name such as sk-loading-spinner-container does not."""
    return any(len(run) >= 12 and mixed(run) for run in re.split("[-_]", secret[3:])) or len(secret) >= 64


def mixed(text: str) -> bool:
    """Letters and digits; a name may have no digit."""
    return any(c.isdigit() for c in text) and any(c.isalpha() for c in text)


def header(secret: str) -> bool:
    """The value of a header, not a word or a variable."""
    return not secret.startswith(_OPENING) and any(c.isdigit() for c in secret)


def password(secret: str) -> bool:
    """Not a placeholder or a variable."""
    return (
        not secret.startswith(("$", "{", "<", "[", "%", "*", "("))
        and not _PLACEHOLDER.search(secret)
        and not _SAID.fullmatch(secret)
    )


def login(secret: str) -> bool:
    """As a password, and not a number: user and group may stand where user and password would."""
    return password(secret) and not secret.isdigit()


def cookies(secret: str) -> bool:
    """Whether a session may be among them."""
    return any(len(part) >= 12 and mixed(part) for part in re.split("[=;]", secret))


def setting(secret: str) -> bool:
    """The value of a setting whose name is in capitals, as the environment has it: whatever is no code and no number."""
    named = _NAME.search(secret) is not None and not mixed(secret)  # the name of another setting
    return not _code(secret) and not secret.isdigit() and not named and (len(secret) >= 8 or not _word(secret))


def assigned(secret: str) -> bool:
    """The value of a field or variable of which only the name says that it is secret: it has to look random.

    Two digits, or a digit and a sign, beside letters.
    """
    if _code(secret) or _TIME_OR_ID.match(secret) or _NAME.search(secret):
        return False
    rest = _TERM.sub("", secret)
    digits, signs = sum(c.isdigit() for c in rest), any(c in "!@#$%^&*?+/=" for c in rest)
    return any(c.isalpha() for c in rest) and (digits >= 2 or (digits == 1 and signs))


def _word(text: str) -> bool:
    return text.isalpha() and (text.islower() or text.istitle())


def _code(text: str) -> bool:
    return (
        text.startswith(_OPENING)
        or _PLACEHOLDER.search(text) is not None
        or _PATH.fullmatch(text) is not None
        or any(c in text for c in "(){}<>[]")
    )
