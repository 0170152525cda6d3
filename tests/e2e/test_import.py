"""Transcripts of two clients are imported by one command, found by the Memvault tools, and imported again without change."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tallystick.owner import find

from tests.e2e.process import COMMAND, answer, environment, serving, tallystick
from tests.e2e.test_bridge import HELLO, Pipes, call

DATA = Path(__file__).parents[1] / "capture" / "data" / "home"
CLAUDE = """\
{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s-1","timestamp":"2026-05-29T09:00:00Z","cwd":"/w","message":{"role":"user","content":"Why does the picker dialog open behind the window?"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s-1","timestamp":"2026-05-29T09:00:09Z","message":{"role":"assistant","id":"m1","content":[{"type":"text","text":"Its parent window is not set. The key is AKIAIOSFODNN7EXAMPLE."}]}}
"""  # noqa: E501
PARENT = "11111111-1111-4111-8111-111111111111"


def prompt(uuid: str, parent: str | None, text: str) -> str:
    line = json.loads(CLAUDE.splitlines()[0])
    return json.dumps(line | {"uuid": uuid, "parentUuid": parent, "message": {"role": "user", "content": text}}) + "\n"


def long_transcript(count: int) -> str:
    """One conversation of so many messages of about 1,000 characters."""
    parents = [None, *(f"r{number}" for number in range(count))]
    return "".join(prompt(f"r{n}", parents[n], f"message {n} " + "with some words " * 60) for n in range(count))


@contextmanager
def client_of(home: Path) -> Iterator[httpx.Client]:
    """A client of the server that a command left running."""
    owner = find(home)
    assert owner is not None
    with httpx.Client(base_url=owner.url, headers={"authorization": f"Bearer {owner.token}"}) as client:
        yield client


def test_import_find_and_import_again(home: Path, tmp_path: Path) -> None:
    transcripts = tmp_path / "transcripts"
    shutil.copytree(DATA, transcripts)
    project = transcripts / ".claude" / "projects" / "-w"
    project.mkdir(parents=True, exist_ok=True)
    (project / "s-1.jsonl").write_text(CLAUDE, "utf-8")
    dry = answer(home, "import", str(transcripts), "--dry-run")
    first = answer(home, "import", str(transcripts))
    assert first["new"] + first["changed"] == dry["new"] > 40
    assert first["redacted"]
    again = answer(home, "import", str(transcripts))
    assert (again["new"], again["changed"], again["removed"], again["sources"]) == (0, 0, 0, 0)
    assert again["unchanged"] == first["sources"]
    shutil.rmtree(home / "capture")  # the marks are gone: everything is read again and nothing is new
    whole = answer(home, "import", str(transcripts))
    assert (whole["new"], whole["removed"]) == (0, 0)
    with (project / "s-1.jsonl").open("a", encoding="utf-8") as file:
        file.write(prompt("u2", "a1", "Thanks, zebra"))
    assert answer(home, "import", str(transcripts))["new"] == 1
    sessions = {session["native_id"]: session for session in answer(home, "sessions", "list", "--limit", "0")}
    assert sessions["s-1"]["message_count"] == 3
    read = answer(home, "sessions", "show", "s-1")
    assert [message["role"] for message in read["messages"]] == ["user", "assistant", "user"]
    assert "AKIAIOSFODNN7EXAMPLE" not in json.dumps(read)
    # A sub-agent's session is found from its parent's.
    with client_of(home) as client:
        links = client.get(f"/v1/sessions/{PARENT}/links").json()["items"]
    assert {link["to"] for link in links} >= {sessions[f"{PARENT}:agent-a17"]["id"]}


def test_two_clients_answer_over_stdio(home: Path, tmp_path: Path) -> None:
    """The workflow of the Memvault documentation, from transcripts to what the next session is told."""
    (tmp_path / "s-1.jsonl").write_text(CLAUDE, "utf-8")
    shutil.copytree(DATA / ".codex", tmp_path / "codex")
    assert answer(home, "import", str(tmp_path))["sessions"] == 3
    bridge = Pipes(home, "--agent", "claude-code", TALLYSTICK_SESSION="s-1")
    bridge.ask(HELLO)

    def ask(tool: str, **arguments: Any) -> Any:
        result = bridge.ask(call(tool, tool, arguments))["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]

    context = ask("memvault_context", query="why does the login fail")
    assert context["core"] == []
    assert context["related"][0]["title"] == "Why does the login fail?"
    hit = ask("memvault_search", query="picker AND (dialog OR window)", limit=3)["results"][0]
    assert (hit["role"], "**picker** **dialog**" in hit["snippet"]) == ("user", True)
    learned = ask(
        "memvault_memory_update", kind="preference", title="Testing Strategy",
        body="User prefers table-driven tests in Go", evidence=[{"session": "current", "message": "u1"}],
    )  # fmt: skip
    codex = ask("memvault_search", query="token expired", kind="session")["results"][0]["session"]
    waiting = {
        task["session"]: task["pending"] for task in ask("memvault_tasks", op="list")["tasks"] if "session" in task
    }
    claimed = ask("memvault_tasks", op="claim", id=f"summarize-{codex}")
    assert claimed["claimed"]
    messages = ask("memvault_session_read", session=codex)["messages"]
    assert waiting[codex] == len(messages)
    summary = ask(
        "memvault_memory_update", kind="summary", session=codex, title="Fixed the login",
        body="**Goal**: log in again.\n**Completed**: the expired token is refreshed.\n**Next**: none.",
        covered=[message["id"] for message in messages],
    )  # fmt: skip
    assert codex not in [task.get("session") for task in ask("memvault_tasks", op="list")["tasks"]]
    assert [memory["id"] for memory in ask("memvault_context")["core"]] == [learned["id"]]
    recalled = ask("recall_context", query="login", user_query_full="what came of the login that failed")
    assert recalled["memories"][0]["memory_id"] == summary["id"]
    bridge.end()


def test_two_importers_at_once_keep_everything_once(home: Path, tmp_path: Path) -> None:
    transcripts = tmp_path / "transcripts"
    shutil.copytree(DATA, transcripts)
    (transcripts / "long.jsonl").write_text(long_transcript(3000), "utf-8")
    command = [*COMMAND, "import", str(transcripts), "--json"]
    running = [
        subprocess.Popen(
            command, env=environment(home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    told = []
    for process in running:
        out, err = process.communicate(timeout=100)
        assert process.returncode == 0, err.decode()
        told.append(json.loads(out))
    counts = {session["native_id"]: session["message_count"] for session in answer(home, "sessions", "list")}
    assert counts["long"] == 3000
    assert sum(counts.values()) == sum(one["new"] - one["removed"] for one in told)
    assert answer(home, "import", str(transcripts))["new"] == 0


def test_a_limit_goes_on_with_the_next_files(home: Path, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.jsonl").write_text(CLAUDE, "utf-8")
    told = [answer(home, "import", str(tmp_path), "--limit", "2") for _ in range(2)]
    assert [(one["sources"], one["unchanged"]) for one in told] == [(2, 0), (1, 0)]
    assert len(answer(home, "sessions", "list")) == 3
    assert "leave it out" in tallystick(home, "import", "--all", str(tmp_path)).stderr


def test_an_erased_session_stays_erased_until_it_goes_on_and_then_comes_whole(home: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "s-1.jsonl"
    transcript.write_text(CLAUDE + prompt("u2", "a1", "second"), "utf-8")
    assert answer(home, "import", str(tmp_path))["new"] == 3
    answer(home, "sessions", "erase", "s-1", "--yes")
    assert answer(home, "import", str(tmp_path))["new"] == 0
    assert answer(home, "sessions", "list") == []
    with transcript.open("a", encoding="utf-8") as file:
        file.write(prompt("u3", "u2", "third"))
    assert answer(home, "import", str(tmp_path))["new"] == 4
    read = answer(home, "sessions", "show", "s-1")["messages"]
    assert [message["id"] for message in read] == ["u1", "a1", "u2", "u3"]


def all_of_it(data: bytes) -> bytes:
    return b"no marks " * 1000


def a_page_of_it(data: bytes) -> bytes:
    return data[:4096] + b"\xa5" * (len(data) - 4096)


@pytest.mark.parametrize("spoiled", [all_of_it, a_page_of_it])
def test_damaged_marks_are_put_aside(home: Path, tmp_path: Path, spoiled: Callable[[bytes], bytes]) -> None:
    (tmp_path / "s-1.jsonl").write_text(CLAUDE, "utf-8")
    assert answer(home, "import", str(tmp_path))["new"] == 2
    marks = home / "capture" / "marks.db"
    marks.write_bytes(spoiled(marks.read_bytes()))
    again = answer(home, "import", str(tmp_path))
    assert (again["new"], again["known"], again["unreadable"]) == (0, 2, [])
    assert (home / "capture" / "marks.db.damaged").exists()
    assert answer(home, "import", str(tmp_path))["unchanged"] == 1


def test_marks_that_cannot_be_used_are_told_of(home: Path, tmp_path: Path) -> None:
    (tmp_path / "s-1.jsonl").write_text(CLAUDE, "utf-8")
    marks = home / "capture" / "marks.db"
    marks.mkdir(parents=True)
    refused = tallystick(home, "import", str(tmp_path))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert str(marks) in refused.stderr
    assert "Traceback" not in refused.stderr
    marks.rmdir()
    marks.parent.rmdir()
    marks.parent.write_text("a file", "utf-8")
    refused = tallystick(home, "import", str(tmp_path))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert str(marks.parent) in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_killed_import_goes_on(home: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "long.jsonl"
    transcript.write_text(long_transcript(12000), "utf-8")
    assert answer(home, "sessions", "list") == []
    with serving(home) as server, server.client() as client:
        process = subprocess.Popen(
            [*COMMAND, "import", str(transcript)],
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        kept = 0
        while kept < 3000:  # some batches with their marks
            assert process.poll() is None
            sessions = client.get("/v1/sessions").json()["items"]
            kept = sessions[0]["message_count"] if sessions else 0
        process.kill()
        process.communicate()
        assert client.get("/v1/sessions").json()["items"][0]["message_count"] < 12000
        told = answer(home, "import", str(transcript))
        assert told["known"] + told["new"] < 12000  # it did not begin anew
        read = client.get("/v1/sessions/long", params={"offset": 11999}).json()
        assert read["session"]["message_count"] == 12000
        assert read["messages"][0]["id"] == "r11999"


def test_watch_captures_what_comes(home: Path, tmp_path: Path) -> None:
    person = tmp_path / "person"
    project = person / ".claude" / "projects" / "-w"
    project.mkdir(parents=True)
    transcript = project / "s-1.jsonl"
    transcript.write_text(CLAUDE, "utf-8")
    watching = subprocess.Popen(
        [*COMMAND, "watch", "--json"], env=environment(home, HOME=str(person), CLAUDE_CONFIG_DIR="", CODEX_HOME=""),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert watching.stdout is not None
        assert json.loads(watching.stdout.readline())["new"] == 2
        with transcript.open("a", encoding="utf-8") as file:
            file.write(prompt("u2", "a1", "Thanks, zebra"))
        assert json.loads(watching.stdout.readline()) | {"skipped": {}} == {
            "client": "claude-code", "sources": 1, "unchanged": 0, "sessions": 1, "new": 1, "known": 2, "changed": 0, "removed": 0,
            "skipped": {}, "redacted": {"aws_key": 1}, "unreadable": [],
        }  # fmt: skip
        (person / ".codex").mkdir()
        shutil.copytree(DATA / ".codex" / "sessions", person / ".codex" / "sessions")
        assert json.loads(watching.stdout.readline())["client"] == "codex"
    finally:
        watching.terminate()
        assert watching.wait(30) == 0
    assert answer(home, "sessions", "show", "s-1")["messages"][2]["content"] == "Thanks, zebra"


def test_the_hook_captures_its_session(home: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "s-1.jsonl"
    transcript.write_text(CLAUDE, "utf-8")
    said = {"session_id": "s-1", "transcript_path": str(transcript), "hook_event_name": "Stop"}
    with (tmp_path / "said.json").open("w+b") as stdin:
        stdin.write(json.dumps(said).encode())
        stdin.seek(0)
        done = tallystick(home, "hook", "claude-code", stdin=stdin)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        stdin.seek(0)
        again = tallystick(home, "hook", "claude-code", "--json", stdin=stdin)
    assert json.loads(again.stdout)["unchanged"] == 1
    assert answer(home, "sessions", "list", "--agent", "claude-code")[0]["message_count"] == 2


def test_a_session_is_shown_and_erased(home: Path, tmp_path: Path) -> None:
    (tmp_path / "s-1.jsonl").write_text(CLAUDE.replace("Its parent", "\\u001b[31mIts parent"), "utf-8")
    assert answer(home, "import", str(tmp_path / "s-1.jsonl"))["new"] == 2
    listed = tallystick(home, "sessions", "list").stdout
    assert "claude-code" in listed
    assert "Why does the picker dialog open" in listed
    shown = tallystick(home, "sessions", "show", "s-1", "--offset", "1").stdout
    assert "\ufffd[31mIts parent window is not set." in shown
    assert "Why does the picker dialog open behind the window?" not in shown.partition("---")[2]
    assert "summarize-" in tallystick(home, "tasks", "list").stdout
    tasks = answer(home, "tasks", "list")["tasks"]
    assert [task["kind"] for task in tasks if task["kind"] == "summarize"] == ["summarize"]
    refused = tallystick(home, "sessions", "erase", "s-1")
    assert (refused.returncode, "say --yes" in refused.stderr) == (1, True)
    assert answer(home, "sessions", "erase", "s-1", "--yes")["messages"] == 2
    assert answer(home, "sessions", "list") == []
    assert "is not" not in tallystick(home, "sessions", "show", "s-1").stdout


def test_what_is_no_transcript_is_refused(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("nothing", "utf-8")
    for arguments, words in (
        ([str(note)], "is no transcript"),
        ([str(tmp_path / "missing")], "There is nothing at"),
        ([], "Say what to import"),
        ([str(note), "--since", "yesterday"], "'yesterday' is no date such as 2026-05-29"),
        ([str(note), "--limit", "-5"], "'-5' is no whole number from 1 on"),
    ):
        done = tallystick(tmp_path / "home", "import", *arguments)
        assert done.returncode in (1, 2)
        assert words in done.stderr
        assert "Traceback" not in done.stderr
