"""What can go wrong with a request to Linear, and how an answer tells.

Linear answers "not found" with status 200, a rate limit with 400 and its code in the body; other layers of it answer 429 and
5xx without a body that says anything. See https://linear.app/developers/graphql and /rate-limiting.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, Literal

SHOWN = 500  # characters of a message of Linear's

Kind = Literal["not_found", "key", "forbidden", "too_complex", "input", "other"]


class LinearFailure(Exception):
    """A request to Linear failed; the text is for people."""


class Refused(LinearFailure):
    """Linear answered, and did not do it."""

    def __init__(self, text: str, kind: Kind = "other") -> None:
        super().__init__(text)
        self.kind = kind


class Throttled(LinearFailure):
    """Linear wants fewer requests, and did not do it. `seconds` says after how long to try again."""

    def __init__(self, text: str, seconds: int) -> None:
        super().__init__(text)
        self.seconds = seconds


class Unreachable(LinearFailure):
    """Nothing was sent: there was no connection."""


class Unknown(LinearFailure):
    """It was sent, and no answer came that says what became of it."""


def outcome(status: int, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    """The data of an answer.

    Raises:
        Refused, Throttled: Linear said so.
        Unknown: the answer does not tell.
    """
    if status == 429:
        raise Throttled("Linear takes no more requests with this key for now.", wait(headers))
    answer = _parsed(body)
    errors = answer.get("errors") if answer is not None else None
    if isinstance(errors, list) and errors:
        raise _failure(errors[0] if isinstance(errors[0], dict) else {}, status, headers)
    if status in (401, 403):
        raise Refused("Linear does not accept the key.", "key")
    if status >= 500:
        raise Unknown(f"Linear failed with status {status}.")
    if 300 <= status < 400:
        raise Refused(f"Linear answered with a redirect (status {status}), which is not followed.")
    data = answer.get("data") if answer is not None else None
    if status == 200 and isinstance(data, dict):
        return data
    if 400 <= status < 500:
        raise Refused(f"Linear refused the request with status {status}.")
    raise Unknown(f"Linear's answer (status {status}) cannot be read.")


def wait(headers: Mapping[str, str], now: float | None = None) -> int:
    """Seconds after which headers of an answer invite to try again; 60 where they say nothing that can be read."""
    after = headers.get("retry-after", "")
    if after.isdecimal():
        return max(1, min(int(after), 3600))
    moment = time.time() if now is None else now
    for name in ("x-ratelimit-requests-reset", "x-ratelimit-complexity-reset"):
        reset = headers.get(name, "")  # milliseconds since 1970
        if reset.isdecimal() and int(reset) / 1000 > moment:
            return max(1, min(round(int(reset) / 1000 - moment), 3600))
    return 60


def _failure(error: dict[str, Any], status: int, headers: Mapping[str, str]) -> LinearFailure:
    extensions = error.get("extensions")
    said: dict[str, Any] = extensions if isinstance(extensions, dict) else {}
    kind, code = str(said.get("type", "")).lower(), str(said.get("code", "")).upper()
    message = str(error.get("message", ""))
    text = str(said.get("userPresentableMessage") or message or "no reason given")[:SHOWN].strip()
    if code == "RATELIMITED" or "ratelimit" in kind.replace(" ", ""):
        return Throttled("Linear takes no more requests with this key for now.", wait(headers))
    if "not found" in message.lower():
        return Refused(f"Linear: {text}", "not_found")
    if status == 401 or "authentication" in kind or code == "AUTHENTICATION_ERROR":
        return Refused("Linear does not accept the key.", "key")
    if status == 403 or "forbidden" in kind or code == "FORBIDDEN":
        return Refused(f"Linear does not allow it: {text}", "forbidden")
    if "complex" in message.lower():
        return Refused(f"Linear finds the query too large: {text}", "too_complex")
    if (
        status >= 500
        or code in ("INTERNAL_SERVER_ERROR", "INTERNAL_ERROR")
        or kind in ("internal error", "network error")
    ):
        return Unknown(f"Linear failed: {text}")
    return Refused(f"Linear: {text}", "input")


def _parsed(body: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
