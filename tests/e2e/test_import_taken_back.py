"""What people take back in their clients is withdrawn from the sessions that were imported, however the client does it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx

from tests.e2e.process import answer
from tests.e2e.test_import import client_of, prompt

OPENCODE = """
CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
"""
CURSOR = "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"


def jsonl(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def opencode(path: Path, session: str, said: dict[str, str], *, at: int, revert: str | None = None) -> None:
    """A session as OpenCode keeps it, with these messages and no others."""
    with closing(sqlite3.connect(path)) as database, database:
        for table in ("message", "part"):
            database.execute(f"DELETE FROM {table} WHERE session_id = ?", (session,))
        database.execute("DELETE FROM session WHERE id = ?", (session,))
        mark = json.dumps({"messageID": revert}) if revert else None
        database.execute("INSERT INTO session VALUES (?, NULL, '/w', ?, ?, 1, ?)", (session, session, mark, at))
        for number, (native, text) in enumerate(said.items()):
            database.execute(
                "INSERT INTO message VALUES (?, ?, ?, ?, ?)", (native, session, number, at, '{"role":"user"}')
            )
            part = json.dumps({"type": "text", "text": text})
            database.execute("INSERT INTO part VALUES (?, ?, ?, 0, 0, ?)", (f"p-{native}", native, session, part))


def cursor(path: Path, session: str, bubbles: Iterable[str]) -> None:
    """A conversation as Cursor keeps it, with these bubbles and no others."""
    with closing(sqlite3.connect(path)) as database, database:
        listed = json.dumps({"fullConversationHeadersOnly": [{"bubbleId": bubble} for bubble in bubbles]})
        for bubble in bubbles:
            value = json.dumps({"type": 1, "text": f"said {bubble}"})
            database.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (f"bubbleId:{session}:{bubble}", value))
        database.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (f"composerData:{session}", listed))


def document(*ids: str) -> str:
    """Gemini's older document."""
    messages = [{"id": native, "type": "user", "content": f"said {native}"} for native in ids]
    return json.dumps({"sessionId": "gemini-old", "projectHash": "x", "messages": messages})


def ids(client: httpx.Client, session: str) -> list[str]:
    return [message["id"] for message in client.get(f"/v1/sessions/{session}").json()["messages"]]


def test_what_is_taken_back_is_withdrawn(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "transcripts"
    (folder / "copilot-1").mkdir(parents=True)
    old, log, lines = folder / "session-old.json", folder / "session-log.jsonl", folder / "s-1.jsonl"
    events, states, code = folder / "copilot-1" / "events.jsonl", folder / "state.vscdb", folder / "opencode.db"
    with closing(sqlite3.connect(code)) as database, database:
        database.executescript(OPENCODE)
    with closing(sqlite3.connect(states)) as database, database:
        database.execute(CURSOR)
    opencode(code, "undone", {"m1": "one", "m2": "two", "m3": "three"}, at=10)
    opencode(code, "reverted", {"r1": "one", "r2": "two"}, at=10)
    cursor(states, "bubbles", ["b1", "b2", "b3"])
    old.write_text(document("o1", "o2", "o3"), "utf-8")
    said = [
        {"id": str(n), "type": kind, "content": f"said {n}"} for n, kind in enumerate(["user", "gemini", "user"], 1)
    ]
    log.write_text(jsonl({"sessionId": "gemini-log", "projectHash": "x"}, *said), "utf-8")
    lines.write_text(prompt("a1", None, "the first conversation") + prompt("a2", "a1", "and its end"), "utf-8")
    spoken = [{"type": "user.message", "id": f"e{n}", "data": {"content": f"said {n}"}} for n in range(1, 4)]
    events.write_text(jsonl({"type": "session.start", "id": "e0", "data": {}}, *spoken), "utf-8")
    first = answer(home, "import", str(folder))
    assert (first["new"], first["unreadable"]) == (19, [])

    opencode(code, "undone", {"m1": "one", "m9": "instead"}, at=20)  # the rows of the undone turn are gone
    opencode(code, "reverted", {"r1": "one", "r2": "two"}, at=21, revert="r1")
    cursor(states, "bubbles", ["b1", "b4"])
    old.write_text(document("o1", "o3"), "utf-8")
    with log.open("a", encoding="utf-8") as file:
        file.write(jsonl({"$rewindTo": "1"}))
    other = prompt("c1", None, "another conversation") + prompt("c2", "c1", "with a line that ends where one ended")
    lines.write_text(other, "utf-8")
    events.write_text(jsonl({"type": "session.start", "id": "e0", "data": {}}, spoken[0]), "utf-8")
    second = answer(home, "import", str(folder))
    assert (second["new"], second["unreadable"]) == (4, [])
    with client_of(home) as client:
        assert ids(client, "undone") == ["m1", "m9"]
        assert ids(client, "reverted") == []
        assert ids(client, "bubbles") == ["b1", "b4"]
        assert ids(client, "gemini-old") == ["o1", "o3"]
        assert ids(client, "gemini-log") == []
        assert ids(client, "s-1") == ["c1", "c2"]
        assert ids(client, "copilot-1") == ["e1"]
    assert second["removed"] == 2 + 2 + 2 + 1 + 3 + 2 + 2
    third = answer(home, "import", str(folder))
    assert (third["new"], third["changed"], third["removed"]) == (0, 0, 0)


def test_an_old_copy_takes_nothing_away(home: Path, tmp_path: Path) -> None:
    now, before, states = tmp_path / "now.db", tmp_path / "opencode-before.db", tmp_path / "state.vscdb"
    for path in (now, before):
        with closing(sqlite3.connect(path)) as database, database:
            database.executescript(OPENCODE)
    with closing(sqlite3.connect(states)) as database, database:
        database.execute(CURSOR)
    opencode(now, "s", {"m1": "one", "m2": "two"}, at=10)
    opencode(before, "s", {"m1": "one"}, at=5)
    cursor(states, "bubbles", ["b1"])
    answer(home, "import", str(now), "--client", "opencode")
    answer(home, "import", str(states))
    with closing(sqlite3.connect(states)) as database, database:  # the conversation is not found in its form any more
        database.execute("INSERT INTO cursorDiskKV VALUES ('composerData:bubbles', '{\"conversationV9\":{}}')")
    assert answer(home, "import", str(before))["removed"] == 0
    assert answer(home, "import", str(states))["removed"] == 0
    with client_of(home) as client:
        assert (ids(client, "s"), ids(client, "bubbles")) == (["m1", "m2"], ["b1"])


def test_a_large_session_is_withdrawn_from_in_parts(home: Path, tmp_path: Path) -> None:
    """More messages than a page of the server has, and than a request may withdraw."""
    path = tmp_path / "session-large.json"
    path.write_text(document(*(f"o{n}" for n in range(2_500))), "utf-8")
    assert answer(home, "import", str(path))["new"] == 2_500
    path.write_text(document("o2499"), "utf-8")
    assert answer(home, "import", str(path))["removed"] == 2_499
    with client_of(home) as client:
        assert ids(client, "gemini-old") == ["o2499"]
