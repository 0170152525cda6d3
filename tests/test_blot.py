"""A user's texts leave the audit log, nobody else's, and nothing moves."""

from __future__ import annotations

from pathlib import Path

import pytest
from tallystick.audit import AuditLog
from tallystick.caller import Caller

QUERIES = ("plain", 'with "quotes" and blanks', 'a query=inner user=ann "', "back\\slash = \\", "用户 ★", "", "x" * 300)


def write(log: AuditLog, user: str, query: str) -> None:
    raw = {"query": query, "title": query, "conversation_id": "nc-a-20260529", "kind": "session", "limit": 5}
    log.line("memvault_search", Caller(user, 1, "claude", frozenset(), None), raw, "ok", 0.015, 3, "req_1")


@pytest.mark.parametrize("user", ["ann", "ann lee", 'ann "the" lee', "安"])
def test_one_users_texts_go(tmp_path: Path, user: str) -> None:
    path = tmp_path / "mcp.log"
    log = AuditLog(path, True)
    for query in QUERIES:
        for name in (user, "bob", f"{user}2"):
            write(log, name, query)
    path.with_name("mcp.log.1").write_bytes(path.read_bytes().replace(b"req_1", b"req_2"))
    path.with_name("mcp.log.2").touch()
    before = path.read_bytes()
    log.forget(user)
    after = path.read_bytes()
    assert path.with_name("mcp.log.1").read_bytes() == after.replace(b"req_1", b"req_2")
    assert len(before) == len(after)
    for number, (old, new) in enumerate(zip(before.splitlines(), after.splitlines(), strict=True)):
        if number % 3:
            assert new == old
            continue
        text = new.decode()
        words = text.replace("-", "").split()
        assert words[2:6] == ["memvault_search", "query=", "title=", "kind=session"]
        assert words[6:8] == ["limit=5", "conversation_id="]
        assert "agent=claude user=" in text
        assert text.endswith("results=3 request=req_1 duration=15ms")
    write(log, user, "afterwards")
    assert path.read_bytes()[: len(after)] == after
    assert b"query=afterwards" in path.read_bytes()[len(after) :]
    path.rename(path.with_name("mcp.log.3"))
    path.write_bytes(before.replace(b"req_1", b"req_3"))  # as where a new file was begun
    log.forget(user)
    log.close()
    assert path.read_bytes() == after.replace(b"req_1", b"req_3")
    assert b"afterwards" not in path.with_name("mcp.log.3").read_bytes()
