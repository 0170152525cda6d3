"""Cursors: where a page ended, sealed so that nobody can forge, damage or misuse it unnoticed.

A cursor holds a position, never an offset: the next page starts strictly after (created, id), so that rows written in
between neither repeat nor skip one, and 25 rows of one instant come once each. What the page was asked with (query,
tags, status, caller ...) is not inside the cursor but under its seal: the seal only matches the same question.
"""

import base64
import binascii
import hmac
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

SEAL = 16
"""Bytes of the HMAC-SHA256 kept. RFC 2104 allows half; a cursor counts against the smallest budget of 128 tokens."""

_VERSION = b"\x01"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SHORTEST = len(_VERSION) + 8 + 1 + SEAL
_LONGEST_TEXT = 1024


class CursorInvalid(ValueError):
    """The text is no cursor that this key sealed for this question: damaged, invented, or of another one."""


@dataclass(frozen=True, slots=True)
class Position:
    """The last row of a page: its time of creation (aware, to the microsecond) and its id."""

    created: datetime
    id: str


def seal(key: bytes, bound: Mapping[str, Any], position: Position) -> str:
    """The cursor of the page that ends at `position`, as URL-safe text without padding.

    `key` is the secret of the database. `bound` is what the cursor holds for: the operation, its filters and the
    caller, but not limit, detail or max_tokens, which may change from page to page. Its values are JSON; a set counts
    as the same whatever its order, a None as absent. Raises ValueError for an empty key or id and a naive time.
    """
    if not key:
        raise ValueError("a cursor needs a key")
    if not position.id:
        raise ValueError("a cursor needs the id of a row")
    if position.created.tzinfo is None:
        raise ValueError("a cursor needs an aware time")
    ticks = (position.created - _EPOCH) // _MICROSECOND
    payload = _VERSION + struct.pack(">q", ticks) + position.id.encode()
    return base64.urlsafe_b64encode(payload + _sign(key, bound, payload)).rstrip(b"=").decode()


def unseal(key: bytes, bound: Mapping[str, Any], cursor: str) -> Position:
    """The position that `seal` put into `cursor` with the same key and the same `bound`.

    Raises CursorInvalid for every other text, so that a bad cursor never means page one. The decoder is strict: a
    lenient one takes a cursor with "!" behind it, and base64 has several spellings of one value, of which only the
    one that `seal` writes is taken.
    """
    raw = _decode(cursor)
    if len(raw) < _SHORTEST:
        raise CursorInvalid("too short")
    payload, given = raw[:-SEAL], raw[-SEAL:]
    if not hmac.compare_digest(given, _sign(key, bound, payload)):
        raise CursorInvalid("the seal does not match")
    if payload[:1] != _VERSION:
        raise CursorInvalid("of another version")
    (ticks,) = struct.unpack(">q", payload[1:9])
    return Position(_EPOCH + ticks * _MICROSECOND, payload[9:].decode())


def _decode(cursor: str) -> bytes:
    if len(cursor) > _LONGEST_TEXT or not cursor.isascii():
        raise CursorInvalid("not the text of a cursor")
    padded = cursor.encode() + b"=" * (-len(cursor) % 4)
    try:
        raw = base64.b64decode(padded, altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise CursorInvalid("not base64url") from error
    if base64.urlsafe_b64encode(raw).rstrip(b"=") != cursor.encode():
        raise CursorInvalid("not the canonical base64url")
    return raw


def _sign(key: bytes, bound: Mapping[str, Any], payload: bytes) -> bytes:
    facts = {name: sorted(value) if isinstance(value, set | frozenset) else value for name, value in bound.items()}
    question = json.dumps({name: value for name, value in facts.items() if value is not None}, sort_keys=True)
    # The length in front keeps the two parts apart: no question can pass for the start of a payload.
    message = struct.pack(">I", len(question)) + question.encode() + payload
    return hmac.digest(key, message, "sha256")[:SEAL]
