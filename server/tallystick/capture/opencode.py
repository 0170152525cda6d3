"""OpenCode: SQLite, ~/.local/share/opencode/opencode.db (OPENCODE_DB). Only sessions, messages and parts are read.

1.x keeps message.data and part.data; 2.x adds session_v2 and session_message, whose data holds the whole message. A
session that stands in both forms is read in the first, which has all of it.

The mark to resume from is the greatest time_updated seen, in milliseconds: sessions touched since are given whole.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .client import Client
from .database import columns, data, reading, text
from .places import opencode as find
from .places import opencode_roots as roots
from .reading import Reading
from .records import START, Event, Mark, Reached, Reason, Skipped
from .times import when

NAME = "opencode"

TABLES = frozenset({"session", "message", "part", "session_v2", "session_message"})
_FIELDS = ("id", "title", "directory", "parent_id", "time_created", "time_updated", "revert")
_CONTENT = (("session", "message"), ("session_v2", "session_message"), ("session", "session_message"))


def read(source: Path, *, resume: Mark = START) -> Iterator[Event]:
    """The events of a database; see Client.read."""
    with reading(source, TABLES) as connection:
        last, done = resume.place, set[str]()
        for table, messages in _CONTENT:
            have = columns(connection, table)
            if "id" not in have or "session_id" not in columns(connection, messages):
                continue
            wanted = ", ".join(field if field in have else f"NULL AS {field}" for field in _FIELDS)
            query = (
                f"SELECT {wanted} FROM {table} s WHERE EXISTS (SELECT 1 FROM {messages} m WHERE m.session_id = s.id) "  # noqa: S608
                f"AND (s.time_updated >= ?1 OR EXISTS (SELECT 1 FROM {messages} m WHERE m.session_id = s.id AND m.time_updated >= ?1)) "
                "ORDER BY s.time_updated, s.id"
            )
            for row in connection.execute(query, (resume.place,)).fetchall():
                facts = dict(zip(_FIELDS, row, strict=True))
                if text(facts["id"]) is None:
                    yield Skipped(Reason.NOT_A_RECORD, detail="session")
                    continue
                if facts["id"] in done:
                    continue
                done.add(facts["id"])
                yield from _session(connection, source, facts, messages, again=resume != START)
                if isinstance(facts["time_updated"], int):
                    last = max(last, facts["time_updated"])
                yield Reached(resume)
        yield Reached(Mark(last))


def _session(
    connection: sqlite3.Connection, source: Path, facts: dict[str, Any], messages: str, *, again: bool
) -> Iterator[Event]:
    session = Reading(NAME, facts["id"], source)
    session.learn(
        title=facts["title"], cwd=facts["directory"], parent=facts["parent_id"],
        created=when(facts["time_created"]), updated=when(facts["time_updated"]),
    )  # fmt: skip
    session.again, session.ids = again, set()
    give = _whole if messages == "session_message" else _parts
    order = "seq" if "seq" in columns(connection, messages) else "time_created, id"
    kind = "type" if "type" in columns(connection, messages) else "NULL"
    reverted, gone = _reverted(facts["revert"]), False
    rows = connection.execute(
        f"SELECT id, {kind}, data FROM {messages} WHERE session_id = ? ORDER BY {order}",  # noqa: S608
        (facts["id"],),
    )
    for native, what, content in rows:
        if text(native) is None:
            session.skip(Reason.NOT_A_RECORD, detail="message")
            continue
        gone = gone or native == reverted
        record = session.record(data(content), "message")
        if gone:
            yield from session.withdraw(native)
        elif record is not None:
            yield from give(connection, session, native, what, record)
        else:
            session.keep(native)  # it is there, though it cannot be read now
    yield from session.close()
    if again and (session.ids or gone):
        yield from session.whole()


def _parts(
    connection: sqlite3.Connection, session: Reading, native: str, _: Any, record: dict[str, Any]
) -> Iterator[Event]:
    """A 1.x message: its parts are rows of their own."""
    role = record.get("role")
    if role not in ("user", "assistant"):
        session.skip(Reason.UNKNOWN, detail=role)
        return
    if record.get("summary") is True:
        session.skip(Reason.COMPACTION)
        return
    parts: list[str] = []
    for (content,) in connection.execute("SELECT data FROM part WHERE message_id = ? ORDER BY id", (native,)):
        part = session.record(data(content), "part")
        if part is not None:
            parts += _part(session, role, part)
    yield from session.message(native, role, parts, _created(record), record.get("parentID"))


def _whole(_: Any, session: Reading, native: str, what: Any, record: dict[str, Any]) -> Iterator[Event]:
    """A 2.x message: everything is in its data; what it is stands in a column, or in the data."""
    time = _created(record)
    match what or record.get("type") or record.get("role"):
        case "user":
            yield from session.message(native, "user", [session.prompt(record.get("text"))], time)
        case "assistant":
            parts: list[str] = []
            for part in session.each(record.get("content"), "content"):
                parts += _part(session, "assistant", part)
            yield from session.message(native, "assistant", parts, time)
        case "shell":
            parts = [session.call("shell", record.get("command")), session.result("shell", record.get("output"))]
            yield from session.message(native, "tool", parts, time)
        case "synthetic" | "system":
            session.skip(Reason.INJECTED)
        case "compaction":
            session.skip(Reason.COMPACTION)
        case "agent-switched" | "model-switched" as housekeeping:
            session.skip(Reason.HOUSEKEEPING, detail=housekeeping)
        case other:
            session.skip(Reason.UNKNOWN, detail=other)


def _part(session: Reading, role: str, part: dict[str, Any]) -> list[str]:
    match part.get("type"):
        case "text" if part.get("synthetic") or part.get("ignored"):
            session.skip(Reason.INJECTED)
        case "text":
            text = part.get("text")
            return [session.prompt(text) if role == "user" else session.answer(text)]
        case "tool":
            name = part.get("tool") or part.get("name")
            state = part.get("state")
            state = state if isinstance(state, dict) else {}
            return [session.call(name, state.get("input")), session.result(name, _output(state))]
        case "file":
            return [f"[file {session.answer(str(part.get('filename') or ''))}]"]
        case "reasoning":
            session.skip(Reason.THINKING)
        case "compaction":
            session.skip(Reason.COMPACTION)
        case "step-start" | "step-finish" | "snapshot" | "patch" | "agent" | "subtask" | "retry" as housekeeping:
            session.skip(Reason.HOUSEKEEPING, detail=housekeeping)
        case other:
            session.skip(Reason.UNKNOWN, detail=other)
    return []


def _output(state: dict[str, Any]) -> Any:
    blocks = state.get("content")
    if isinstance(blocks, list) and blocks:
        return "\n".join(str(b.get("text") or "") for b in blocks if isinstance(b, dict))
    error = state.get("error")
    return state.get("output") or (error.get("message") if isinstance(error, dict) else error)


def _created(record: dict[str, Any]) -> Any:
    time = record.get("time")
    return when(time.get("created")) if isinstance(time, dict) else None


def _reverted(mark: Any) -> Any:
    """The id of the message that the user went back to before; it and all after it are off the screen."""
    try:
        value = json.loads(mark) if isinstance(mark, str) else None
    except (ValueError, RecursionError):
        return None
    return value.get("messageID") if isinstance(value, dict) else None


def knows(path: Path) -> bool:
    return path.name.startswith("opencode") and path.suffix == ".db"


CLIENT = Client(NAME, roots, find, read, knows)
