"""The clients that keep SQLite files, and Cursor's line files beside its one."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tallystick.capture import CLIENTS, Mark, Reason, Unreadable
from tallystick.capture.database import reading

from .told import HOME, Told

OPENCODE, CURSOR = CLIENTS["opencode"], CLIENTS["cursor"]


def made(script: str, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((HOME.parent / script).read_text("utf-8"))
    return path


@pytest.fixture
def opencode(tmp_path: Path) -> Path:
    return made("opencode.sql", tmp_path / ".local" / "share" / "opencode" / "opencode.db")


@pytest.fixture
def cursor(tmp_path: Path) -> Iterator[Path]:
    """As the editor has it while it runs: the last rows are in the -wal file only."""
    path = tmp_path / ".config" / "Cursor" / "User" / "globalStorage" / "state.vscdb"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript((HOME.parent / "cursor.sql").read_text("utf-8"))
        assert path.with_name("state.vscdb-wal").stat().st_size > 0
        yield path


def test_opencode_first_generation(opencode: Path) -> None:
    told = Told().take(OPENCODE.read(opencode))
    assert told.lines("ses_1") == [
        "user: Why is the parser slow?",
        'assistant: [tool bash] {"command": "go test -bench ."}\n[result bash] BenchmarkParse 12\n'
        "It copies every line.\n[tool tallystick_recall_memory]",
    ]
    assert told.withdrawn == ["msg_4", "msg_5"]
    header = told.sessions["ses_1"]
    assert (header.title, header.cwd) == ("Speed up the parser", "/work/go")
    assert told.messages["ses_1"]["msg_2"].parent == "msg_1"


def test_opencode_second_generation(opencode: Path) -> None:
    told = Told().take(OPENCODE.read(opencode))
    assert told.lines("ses_2") == [
        "user: Run the benchmarks",
        "tool: [tool shell] make bench\n[result shell] ok",
        'assistant: Twice as fast.\n[tool edit] {"path": "p.go"}\n[result edit] denied',
    ]
    assert told.sessions["ses_2"].parent == "ses_1"
    assert told.count(Reason.UNKNOWN, "dream") == 1
    assert told.count(Reason.NOT_JSON) == 1


def test_opencode_resumes_with_what_was_touched(opencode: Path) -> None:
    mark = Told().take(OPENCODE.read(opencode)).marks[-1].resume
    with closing(sqlite3.connect(opencode)) as connection, connection:
        connection.execute("UPDATE session SET time_updated = ?, revert = NULL WHERE id = 'ses_1'", (mark.place + 5,))
    told = Told().take(OPENCODE.read(opencode, resume=Mark(mark.place + 1)))
    assert list(told.sessions) == ["ses_1"]
    assert told.lines()[-1] == "assistant: Taken back too"


def test_no_other_table_is_read(opencode: Path) -> None:
    before = hashlib.sha256(opencode.read_bytes()).digest()
    with pytest.raises(Unreadable, match="prohibited"), reading(opencode, frozenset({"session"})) as connection:
        connection.execute("SELECT access_token FROM account")
    with pytest.raises(Unreadable, match="not authorized"), reading(opencode, frozenset({"session"})) as connection:
        connection.execute("DELETE FROM session")
    assert hashlib.sha256(opencode.read_bytes()).digest() == before


@pytest.mark.parametrize("client", ["opencode", "cursor"])
def test_what_is_no_database(client: str, tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    with pytest.raises(Unreadable, match="not there"):
        list(CLIENTS[client].read(path))
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(Unreadable, match=r"state\.vscdb cannot be read"):
        list(CLIENTS[client].read(path))


def test_cursor_database(cursor: Path) -> None:
    told = Told().take(CURSOR.read(cursor))
    assert told.lines("c1") == [
        "user: Rename class A to B",
        'assistant: [tool read_file] {"path": "a.py"}\n[result read_file] class A: pass',
        "assistant: Done.",
    ]
    assert told.lines("c2") == ["user: old inline form", "assistant: answer"]
    assert (told.sessions["c1"].cwd, told.sessions["c1"].title) == ("/work/app", "Rename the class")
    assert told.sessions["c2"].parent == "c1"
    assert told.count(Reason.EMPTY, "bubble") == 1
    assert "never to be read" not in repr(told)


def test_cursor_resumes_with_what_was_replaced(cursor: Path) -> None:
    mark = Told().take(CURSOR.read(cursor)).marks[-1].resume
    assert Told().take(CURSOR.read(cursor, resume=mark)).messages == {}
    with closing(sqlite3.connect(cursor)) as connection, connection:
        value = '{"type":2,"text":"Done, and tested."}'
        connection.execute("INSERT INTO cursorDiskKV VALUES ('bubbleId:c1:b3', ?)", (value,))
    told = Told().take(CURSOR.read(cursor, resume=mark))
    assert told.lines()[-1] == "assistant: Done, and tested."


def test_cursor_line_files_stand_in_for_what_no_database_has(cursor: Path, tmp_path: Path) -> None:
    shutil.copytree(HOME / ".cursor", tmp_path / ".cursor")
    database, lines = CURSOR.find(tmp_path, {})
    assert database == cursor
    told = Told().take(CURSOR.read(lines))
    assert told.lines() == ["user: rename the class", 'assistant: Renaming.\n[tool Write] {"path": "a.py"}']
    with closing(sqlite3.connect(cursor)) as connection, connection:
        connection.execute("INSERT INTO cursorDiskKV VALUES (?, '{}')", (f"composerData:{lines.stem}",))
    assert list(CURSOR.find(tmp_path, {})) == [cursor]
