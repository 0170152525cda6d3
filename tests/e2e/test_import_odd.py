"""One file that cannot be taken as it stands keeps no other from being imported, and is told of."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.e2e.process import answer, tallystick
from tests.e2e.test_import import CLAUDE, client_of, prompt
from tests.e2e.test_import_taken_back import CURSOR, cursor, jsonl


def test_odd_files_keep_no_other_from_being_imported(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "person" / ".claude" / "projects" / "-w"
    project.mkdir(parents=True)
    for name in (b"current", b"tab\there", b"n" * 200, b"\xff-not-utf-8", b"s-1", b"zzz"):
        Path(os.fsdecode(os.fsencode(project) + b"/" + name + b".jsonl")).write_text(CLAUDE, "utf-8")
    (project / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (project / "folder.jsonl").mkdir()
    block = {"type": "text", "text": "long words " * 25_000}
    (project / "long.jsonl").write_text(
        jsonl({"type": ["x"]}, {"type": "user", "uuid": "u" * 200, "message": {"content": [block] * 5}}), "utf-8"
    )
    person = {"HOME": str(tmp_path / "person"), "CLAUDE_CONFIG_DIR": ""}
    done = tallystick(home, "import", "--client", "claude-code", "--json", env=person)
    told = json.loads(done.stdout)
    assert (done.returncode, told["sessions"], told["new"]) == (1, 7, 13)
    assert sorted(text.rsplit("/", 1)[1] for text in told["unreadable"]) == [
        "folder.jsonl cannot be read: Is a directory", "gone.jsonl cannot be read: No such file or directory",
    ]  # fmt: skip
    assert "Traceback" not in done.stderr
    again = json.loads(tallystick(home, "import", "--client", "claude-code", "--json", env=person).stdout)
    assert (again["new"], again["changed"]) == (0, 0)
    with client_of(home) as client:
        names = {session["native_id"] for session in client.get("/v1/sessions").json()["items"]}
    assert names >= {"s-1", "zzz", "long"}


def test_what_is_damaged_in_a_folder_is_told_of(home: Path, tmp_path: Path) -> None:
    (tmp_path / "rollout-1.jsonl.zst").write_bytes(b"no zstandard at all")
    (tmp_path / "state.vscdb").write_bytes(b"not a database at all" * 100)
    (tmp_path / "s-1.jsonl").write_text(CLAUDE, "utf-8")
    done = tallystick(home, "import", str(tmp_path), "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["new"]) == (1, 2)
    assert [f"{tmp_path}/{name}" in text for name, text in zip(
        ("rollout-1.jsonl.zst is no readable zstandard file", "state.vscdb cannot be read"), told["unreadable"], strict=True
    )] == [True, True], told["unreadable"]  # fmt: skip


def test_a_folder_with_both_forms_of_a_conversation_gives_it_once(home: Path, tmp_path: Path) -> None:
    states, lines = tmp_path / "state.vscdb", tmp_path / "agent-transcripts"
    lines.mkdir()
    with closing(sqlite3.connect(states)) as database, database:
        database.execute(CURSOR)
    cursor(states, "both", ["b1"])
    for name in ("both", "lines-alone"):
        said = {"role": "user", "message": {"content": [{"type": "text", "text": "said b1"}]}}
        (lines / f"{name}.jsonl").write_text(jsonl(said), "utf-8")
    assert answer(home, "import", str(tmp_path))["new"] == 2
    counts = {session["native_id"]: session["message_count"] for session in answer(home, "sessions", "list")}
    assert counts == {"both": 1, "lines-alone": 1}


def test_a_prompt_may_be_as_long_as_a_client_lets_it(home: Path, tmp_path: Path) -> None:
    (tmp_path / "s-1.jsonl").write_text(prompt("u1", None, "\U0001f600" * 1_200_000), "utf-8")
    assert answer(home, "import", str(tmp_path))["new"] == 1
