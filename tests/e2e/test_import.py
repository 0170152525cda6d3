"""Transcripts of two clients are imported by one command, found by the Memvault tools, and imported again without change."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.e2e.process import answer, serving, tallystick

DATA = Path(__file__).parents[1] / "capture" / "data" / "home"
CLAUDE = """\
{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s-1","timestamp":"2026-05-29T09:00:00Z","cwd":"/w","message":{"role":"user","content":"Why does the picker dialog open behind the window?"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s-1","timestamp":"2026-05-29T09:00:09Z","message":{"role":"assistant","id":"m1","content":[{"type":"text","text":"Its parent window is not set. The key is AKIAIOSFODNN7EXAMPLE."}]}}
"""  # noqa: E501


def test_import_find_and_import_again(tmp_path: Path) -> None:
    home, transcripts = tmp_path / "home", tmp_path / "transcripts"
    shutil.copytree(DATA, transcripts)
    project = transcripts / ".claude" / "projects" / "-w"
    project.mkdir(parents=True, exist_ok=True)
    (project / "s-1.jsonl").write_text(CLAUDE, "utf-8")
    dry = answer(home, "import", str(transcripts), "--dry-run")
    first = answer(home, "import", str(transcripts))
    assert first["new"] + first["changed"] == dry["new"] > 40
    assert first["redacted"]
    again = answer(home, "import", str(transcripts))
    assert (again["new"], again["changed"], again["removed"]) == (0, 0, 0)
    shutil.rmtree(home / "capture")  # the marks are gone: everything is read again and nothing is new
    whole = answer(home, "import", str(transcripts))
    assert (whole["new"], whole["removed"]) == (0, 0)
    with (project / "s-1.jsonl").open("a", encoding="utf-8") as file:
        line = json.loads(CLAUDE.splitlines()[0])
        file.write(
            json.dumps(
                line | {"uuid": "u2", "parentUuid": "a1", "message": {"role": "user", "content": "Thanks, zebra"}}
            )
            + "\n"
        )
    assert answer(home, "import", str(transcripts))["new"] == 1
    with serving(home) as server, server.client() as client:
        found = client.post("/v1/search", json={"query": "picker dialog"}).json()
        assert any("**picker** **dialog**" in hit["snippet"] for hit in found["results"])
        session = found["results"][0]["session"]
        read = client.get(f"/v1/sessions/{session}").json()
        assert [message["role"] for message in read["messages"]] == ["user", "assistant", "user"]
        assert "AKIAIOSFODNN7EXAMPLE" not in json.dumps(read)
        assert client.get("/v1/sessions/s-1").json()["session"]["id"] == session
        related = client.post("/v1/agent-context", json={"query": "picker dialog behind the window"}).json()["related"]
        assert related[0]["session"] == session


def test_the_hook_captures_its_session(tmp_path: Path) -> None:
    transcript = tmp_path / "s-1.jsonl"
    transcript.write_text(CLAUDE, "utf-8")
    said = {"session_id": "s-1", "transcript_path": str(transcript), "hook_event_name": "Stop"}
    with (tmp_path / "said.json").open("w+b") as stdin:
        stdin.write(json.dumps(said).encode())
        stdin.seek(0)
        done = tallystick(tmp_path / "home", "hook", "claude-code", "--json", stdin=stdin)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["new"] == 2


def test_what_is_no_transcript_is_refused(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("nothing", "utf-8")
    for arguments, words in (
        ([str(note)], "is no transcript"),
        ([str(tmp_path / "missing")], "There is nothing at"),
        ([], "Say what to import"),
        ([str(note), "--since", "yesterday"], "is no transcript"),
    ):
        done = tallystick(tmp_path / "home", "import", *arguments)
        assert done.returncode == 1
        assert words in done.stderr
        assert "Traceback" not in done.stderr
