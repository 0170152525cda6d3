"""Logging of the server process: structured lines on standard error, never a key."""

from __future__ import annotations

import logging
import sys

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
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    logging.basicConfig(
        level=max(number, logging.WARNING), stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    for chatty in ("mcp", "httpx", "chromadb", "uvicorn.access"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
