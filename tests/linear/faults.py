"""What can go wrong between us and Linear, to be planted into a LinearServer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.linear import refusals


@dataclass
class Answer:
    """What goes back over the wire. `claimed` is the length it says it has, where that is not so; `pause` is between bytes."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    claimed: int | None = None
    pause: float = 0


def answer(status: int, body: dict[str, Any], **headers: str) -> Answer:
    return Answer(status, json.dumps(body).encode(), {name.replace("_", "-"): value for name, value in headers.items()})


def _same(answer: Answer) -> Answer:
    return answer


@dataclass(frozen=True)
class Fault:
    """`applied`: the request is carried out all the same. `spoil` makes the answer; None closes the connection without one."""

    name: str
    spoil: Callable[[Answer], Answer | None] = _same
    applied: bool = False
    wait: float = 0
    forgets: tuple[str, ...] = ()


RATE_LIMITED = Fault("rate limited in the body", lambda _: answer(400, refusals.rate_limited(2500)))
"""As Linear does it. The headers of every answer say when requests are given anew."""

INTERNAL = Fault("500", lambda _: answer(500, refusals.INTERNAL))
BROKEN_JSON = Fault("no JSON", lambda _: Answer(200, b"<html><body>502 Bad Gateway</body></html>"))
TRUNCATED = Fault("cut off", lambda whole: Answer(200, whole.body[:-5], claimed=len(whole.body)), applied=True)
"""The answer ends before the length it has said. Like the next, it hides that a write was done."""

DROPPED_AFTER = Fault("connection closed after it was done", lambda _: None, applied=True)
DROPPED_BEFORE = Fault("connection closed before it was done", lambda _: None)
LABELS_FORGOTTEN = Fault("labels forgotten", applied=True, forgets=("labelIds",))
"""Success is answered and the labels are not as asked, as other tools for Linear were seen to do."""


def too_many(retry_after: int | str = 1) -> Fault:
    """HTTP 429 with Retry-After: seconds, or a date."""
    return Fault("429", lambda _: answer(429, refusals.rate_limited(2500), Retry_After=str(retry_after)))


def unavailable(status: int = 503) -> Fault:
    return Fault(str(status), lambda _: Answer(status, b"upstream connect error", {"Content-Type": "text/plain"}))


def hangs(seconds: float, *, applied: bool = False) -> Fault:
    """Nothing comes for so long, then the connection is closed; `applied`: it was done at once, and the answer comes late."""
    return Fault(f"hangs {seconds} s", _same if applied else lambda _: None, applied=applied, wait=seconds)


def trickles(pause: float) -> Fault:
    """The write is done and the answer whole, but it comes byte by byte, so that no single read takes long."""
    return Fault("trickles", lambda whole: Answer(200, whole.body, pause=pause), applied=True)


def redirected(url: str) -> Fault:
    return Fault("redirected", lambda _: Answer(307, b"", {"Location": url}))
