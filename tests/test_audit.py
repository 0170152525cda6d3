"""The audit log: private, begun anew when it is large, and never a reason to fail a call."""

from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tallystick import audit
from tallystick.audit import AuditLog
from tallystick.caller import Caller


def write(log: AuditLog, query: str) -> None:
    caller = Caller("local", 1, "claude", frozenset(), None)
    log.line("recall_memory", caller, {"query": query}, "ok", 0.015, 3, "req_1")


def test_a_line(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "mcp.log", True)
    write(log, "用户 one\ntwo")
    log.close()
    (line,) = (tmp_path / "mcp.log").read_text("utf-8").splitlines()
    assert (
        'INFO recall_memory query="用户 one two" agent=claude user=local results=3 request=req_1 duration=15ms' in line
    )
    assert (tmp_path / "mcp.log").stat().st_mode & 0o077 == 0


def test_a_large_one_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "LARGEST", 2000)
    log = AuditLog(tmp_path / "mcp.log", True)
    for number in range(100):
        write(log, f"number {number}")
    log.close()
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["mcp.log", *(f"mcp.log.{number}" for number in range(1, audit.KEPT + 1))]
    assert all(path.stat().st_size <= 2000 and path.stat().st_mode & 0o077 == 0 for path in tmp_path.iterdir())
    assert "number 99" in (tmp_path / "mcp.log").read_text("utf-8")


def test_a_disk_that_takes_nothing_fails_no_call(tmp_path: Path) -> None:
    (tmp_path / "mcp.log").symlink_to("/dev/full")
    log = AuditLog(tmp_path / "mcp.log", True)
    with capture_logs() as said:
        write(log, "lost")
    assert [one["event"] for one in said] == ["an audit line was lost"]


def test_a_log_that_cannot_be_opened_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "mcp.log").mkdir()
    audit = AuditLog(tmp_path / "mcp.log", text=True)
    audit.line("recall_memory", None, {}, "ok", 0.001, None, "req_1")
    (tmp_path / "mcp.log").rmdir()
    audit.line("recall_memory", None, {}, "ok", 0.001, None, "req_2")
    audit.close()
    assert "req_2" in (tmp_path / "mcp.log").read_text("utf-8")
