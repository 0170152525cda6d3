"""logs/mcp.log: one line for every call, in the form of the Memvault documentation."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import structlog
from structlog.processors import LogfmtRenderer

from .blot import Blotter
from .caller import Caller

log = structlog.get_logger(__name__)

CUT = 200
LARGEST = 16 * 1024 * 1024
"""Bytes after which a new file is begun."""
KEPT = 4
"""Older files beside it: mcp.log.1 is the youngest."""
PLAIN = ("kind", "detail", "status", "limit", "conversation_id", "persona_name", "topic", "memory_id")

_render = LogfmtRenderer(drop_missing=True)


class AuditLog:
    """Appends `time LEVEL operation key=value ... duration=15ms`, mode 0600.

    Bodies, keys and facts are never written. Query and title are, cut at 200 characters, unless `text` is False.
    """

    def __init__(self, path: Path, text: bool) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._blotter = Blotter()
        self._file = _File(
            path, maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8", errors="replace", delay=True
        )  # opened with the first line, so that one that cannot be opened costs lines and not the start
        self._named = (*(("query", "title") if text else ()), *PLAIN)

    def line(
        self,
        operation: str,
        caller: Caller | None,
        raw: Mapping[str, Any],
        outcome: str,
        seconds: float,
        results: int | None,
        request_id: str,
    ) -> None:
        """Write the line of one finished call; `outcome` is `ok` or an error code, `results` how many were listed."""
        fields: dict[str, Any] = {}
        for name in self._named:
            value = raw.get(name)
            if isinstance(value, str | int) and not isinstance(value, bool):
                fields[name] = _clean(value)
        if caller is not None:
            fields["agent"] = _clean(caller.agent)
            fields["user"] = _clean(caller.user)
        if outcome != "ok":
            fields["error"] = outcome
        fields["results"] = results
        fields["request"] = request_id
        fields = {name: value for name, value in fields.items() if value is not None}
        level = "INFO" if outcome == "ok" else "WARNING"
        when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        text = f"{when} {level} {operation} {_render(None, '', fields)} duration={seconds * 1000:.0f}ms"
        self._file.handle(logging.makeLogRecord({"msg": text}))

    def forget(self, user: str) -> None:
        """Take every text out of a user's lines, in older files too: something of this user's is being erased, and the lines do
        not tell which text is of what. Who did what, and when, stays.

        Raises:
            OSError: a file cannot be written.
        """
        named = _render(None, "", {"user": _clean(user)}).removeprefix("user=")
        self._file.acquire()  # so that no file is given another name meanwhile
        try:
            for path in self._path.parent.glob(f"{self._path.name}*"):
                self._blotter.blot(path, named)
        finally:
            self._file.release()

    def close(self) -> None:
        self._file.close()


class _File(RotatingFileHandler):
    def _open(self) -> TextIOWrapper:
        return open(
            os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600),
            "a",
            encoding="utf-8",
            errors="replace",
        )

    def handleError(self, record: logging.LogRecord) -> None:
        # A full disk must not turn an answered call into a failed one.
        log.error("an audit line was lost", reason=str(sys.exc_info()[1]))


def _clean(value: str | int) -> str | int:
    return "".join(c if c.isprintable() else " " for c in value[:CUT]) if isinstance(value, str) else value
