"""Something that failed is tried again: after half a second, then later each time."""

from __future__ import annotations

import time

import structlog

log = structlog.get_logger(__name__)

SECONDS = (0.5, 30.0)  # before the next try: at first, at most


class Retry:
    """One thing that may fail.

    Attributes:
        error: why it failed the last time; None while all is well.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._failures = 0
        self.error: str | None = None
        self._not_before = 0.0

    @property
    def due(self) -> bool:
        """Whether it may be tried now."""
        return self.seconds == 0

    @property
    def seconds(self) -> float:
        """How long until then."""
        return max(0.0, self._not_before - time.monotonic())

    def failed(self, error: Exception) -> None:
        """Note and log a failure; called where it is handled."""
        first, most = SECONDS
        self._not_before = time.monotonic() + min(most, first * 2.0 ** min(self._failures, 10))
        self._failures += 1
        self.error = f"{type(error).__name__}: {error}"
        log.exception("the indexer failed and will try again", what=self._what, error=self.error)

    def succeeded(self) -> None:
        """All is well."""
        self._failures = 0
        self.error = None
        self._not_before = 0.0
