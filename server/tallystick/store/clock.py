"""Times as the store keeps them: ISO text in UTC with microseconds, which sorts as it reads."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The present, aware and UTC."""
    return datetime.now(UTC)


def to_text(moment: datetime) -> str:
    """`2026-11-30T12:00:00.000000Z`. An offset is converted, not relabelled; a naive time is refused with ValueError."""
    if moment.tzinfo is None:
        raise ValueError("a time without a zone says nothing")
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def from_text(text: str) -> datetime:
    """The reverse of `to_text`."""
    return datetime.fromisoformat(text)
