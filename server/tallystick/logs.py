"""Logging of the server process: structured lines on standard error, never a key."""

from __future__ import annotations

import contextlib
import logging
import sys
from typing import TextIO, cast

import structlog


def configure(level: str) -> None:
    """Send structlog and the libraries' stdlib logging to standard error from `level` (debug, info, ...) on."""
    number = getattr(logging, level.upper())
    structlog.configure(
        processors=[
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
            if sys.stderr.isatty()
            else structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"], bool_as_flag=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", _Lossy(sys.stderr))),
        cache_logger_on_first_use=False,
    )
    logging.basicConfig(
        level=max(number, logging.WARNING), stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    for chatty in ("mcp", "httpx", "chromadb", "uvicorn.access"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


class _Lossy:
    """A stream on which a line that cannot be written is lost: a full disk or a closed pipe must not fail a call."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()
