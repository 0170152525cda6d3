"""Keys are in no log, no output and no file but the one they are sent with; every call leaves its line."""

from __future__ import annotations

import re
import stat
from pathlib import Path

from tests.e2e.process import answer, note, serving, tallystick

LINE = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (INFO|WARNING) [a-z_]+ (?:[a-z_]+=(?:\"(?:[^\"\\]|\\.)*\"|[^ \"]*) )+duration=\d+ms"
)


def test_no_key_is_anywhere_after_a_day_of_everything(home: Path) -> None:
    secrets = []
    with serving(home, TALLYSTICK_LOG_LEVEL="debug") as server:
        secrets.append(server.owner.token)
        made = answer(home, "keys", "create", "--agent", "claude")
        secrets.append(made["key"])
        with server.client(made["key"]) as client:
            client.post("/v1/memories", json=note())
            client.post("/v1/memories", json={"summary": "x"})
            client.patch("/v1/facts", json={"secret_fact": "marked-fact-0123456789"})
            client.get("/v1/memories/mem_unknown")
            client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "nonsense"})
        with server.client(made["key"] + "0") as client:
            assert client.get("/v1/me").status_code == 401
        check = tallystick(home, "mcp", "--check", "--url", server.url, env={"TALLYSTICK_API_KEY": made["key"]})
        told = check.stdout + check.stderr + tallystick(home, "doctor").stdout
        token_file = home / "run" / "server.json"
        files = {p: p.read_bytes() for p in home.rglob("*") if p.is_file() and p != token_file}
        assert server.stop() == 0
        told += server.output.read_text("utf-8") + server.errors.read_text("utf-8")
    files |= {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    for secret in secrets:
        hidden = secret.removeprefix("tsk_").partition("_")[2] or secret  # a key begins with its id, which is no secret
        for part in (hidden[:8], hidden[-8:]):
            assert part not in told
            for path, content in files.items():
                assert part.encode() not in content, path
    assert "marked-fact-0123456789" not in told
    assert b"marked-fact-0123456789" not in files[home / "logs" / "mcp.log"]


def test_each_call_is_a_line_of_mcp_log(home: Path) -> None:
    with serving(home) as server, server.client() as client:
        client.post("/v1/memories", json={**note(), "context": "marked-body-0123456789"})
        client.post("/v1/memory-recall", json={"query": 'folder "picker"\nnew line', "limit": 3})
        client.get("/v1/memories/mem_unknown")
    log = home / "logs" / "mcp.log"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    text = log.read_text("utf-8")
    lines = text.splitlines()
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    stored, recalled, missed = lines[-3:]
    assert " INFO store_context conversation_id=nc-e2e-20260529 agent=cli user=local " in stored
    assert ' INFO recall_memory query="folder \\"picker\\" new line" limit=3 ' in recalled
    assert " WARNING get_memory_detail " in missed
    assert "error=NOT_FOUND" in missed
    assert "marked-body" not in text


def test_texts_may_be_left_out_of_it(home: Path) -> None:
    with serving(home, TALLYSTICK_AUDIT_TEXT="0") as server, server.client() as client:
        client.post("/v1/memory-recall", json={"query": "marked-query-0123456789"})
    assert "marked-query" not in (home / "logs" / "mcp.log").read_text("utf-8")


def test_a_key_with_a_line_end_is_not_shown(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as server:
        key = answer(tmp_path / "home", "keys", "create", "--agent", "a")["key"]
        done = tallystick(None, "mcp", "--url", server.url, "--check", env={"TALLYSTICK_API_KEY": f"{key}\r\n"})
        assert done.returncode == 0, done.stdout + done.stderr
        for bad in (f"{key[:20]} {key[20:]}", f"{key}\u00e9", f"{key[:10]}\r{key[10:]}"):
            done = tallystick(None, "mcp", "--url", server.url, "--check", env={"TALLYSTICK_API_KEY": bad})
            assert done.returncode == 1
            assert key[:14] not in done.stdout + done.stderr
