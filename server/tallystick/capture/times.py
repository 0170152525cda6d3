"""Times as clients write them: RFC 3339 text, or milliseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any


def when(value: Any) -> datetime | None:
    """An aware time in UTC, or None for what states none: a made-up time would be worse."""
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value)
            return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return datetime.fromtimestamp(value / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None
