"""Times on the wire: RFC 3339, taken with any offset, given in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from tallystick_contract.errors import Code

from .problem import Problem


def when(time: datetime) -> str:
    """RFC 3339 in UTC, with Z."""
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def parse_time(name: str, text: str | None) -> datetime | None:
    """A date-time argument in UTC: an offset is converted, never relabelled.

    Raises:
        Problem: INVALID_PARAMS for what RFC 3339 allows and the calendar here does not: leap seconds and the year 0.
    """
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Problem(Code.INVALID_PARAMS, f"/{name} is no time that can be compared: {text}.") from None
