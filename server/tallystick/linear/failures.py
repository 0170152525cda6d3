"""What an answer of Linear means where it is no data.

Linear answers what it cannot find with HTTP 200, and a rate limit with 400; what counts is `extensions` of the first error.
Its `userPresentableMessage` is made for people and is what is passed on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import httpx

Kind = Literal["refused", "not_found", "conflict", "unauthenticated", "rate_limited", "unavailable", "unknown"]

REDIRECTS = range(300, 400)
SERVER_ERRORS = 500
TOO_MANY = 429


class LinearFailure(Exception):
    """Linear did not do what it was asked, or nobody knows whether it did.

    Attributes:
        kind: refused: the input, or for want of a right. not_found. conflict: the id is taken. unauthenticated: the key.
            rate_limited. unavailable: nothing was done. unknown: a write may or may not have been done.
        message: for people; never a key.
        retry_after: seconds after which it may go better; None where nobody said.
    """

    def __init__(self, kind: Kind, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.retry_after = retry_after


def failure(status: int, headers: httpx.Headers, body: Any, *, writes: bool) -> LinearFailure | None:
    """The failure that an answer tells of; None where it has data and no error.

    Args:
        status: of HTTP.
        headers: of the answer.
        body: what the answer's JSON holds; None where it is no JSON.
        writes: whether something was to be changed.
    """
    error = _first(body)
    if error is not None:
        return _told(error, status, headers)
    if status == TOO_MANY:
        return LinearFailure("rate_limited", "Linear takes no more requests for now.", _retry_after(headers))
    if status in REDIRECTS:
        return LinearFailure("unavailable", "The address of Linear answers with a redirect, which is not followed.")
    if status < REDIRECTS.start and isinstance(body, dict) and isinstance(body.get("data"), dict):
        return None
    what = f"Linear answered HTTP {status}" if status >= REDIRECTS.start else "Linear's answer is not what it should be"
    if writes and (status >= SERVER_ERRORS or status < REDIRECTS.start):
        return LinearFailure("unknown", f"{what}; whether the change was made is not known.")
    return LinearFailure("unavailable", f"{what}.", _retry_after(headers))


def _told(error: Mapping[str, Any], status: int, headers: httpx.Headers) -> LinearFailure:
    extensions = error.get("extensions")
    told: Mapping[str, Any] = extensions if isinstance(extensions, dict) else {}
    raw = str(error.get("message") or "Linear refused the request.")
    message = str(told.get("userPresentableMessage") or raw)
    code, kind = told.get("code"), told.get("type")
    if code == "RATELIMITED" or kind == "ratelimited" or status == TOO_MANY:
        return LinearFailure("rate_limited", message, _retry_after(headers))
    if code == "AUTHENTICATION_ERROR" or kind == "authentication error":
        return LinearFailure("unauthenticated", message)
    if raw.startswith("Entity not found"):
        return LinearFailure("not_found", message)
    if raw.startswith("conflict on insert"):
        return LinearFailure("conflict", message)
    if status >= SERVER_ERRORS or kind == "internal error":
        return LinearFailure("unknown", message)
    return LinearFailure("refused", message)


def _first(body: Any) -> Mapping[str, Any] | None:
    errors = body.get("errors") if isinstance(body, dict) else None
    first = errors[0] if isinstance(errors, list) and errors else None
    return first if isinstance(first, dict) else None


def _retry_after(headers: httpx.Headers) -> int | None:
    """Seconds: of Retry-After (a number or a date, RFC 9110, 10.2.3), else until requests are given anew."""
    value = headers.get("retry-after", "")
    reset = headers.get("x-ratelimit-requests-reset", "")
    if value.isdigit():
        return int(value)
    try:
        return max(0, round(parsedate_to_datetime(value).timestamp() - time.time()))
    except ValueError:
        return max(0, round(int(reset) / 1000 - time.time())) if reset.isdigit() else None
