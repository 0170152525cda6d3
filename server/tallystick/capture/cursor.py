"""Cursor: <User>/globalStorage/state.vscdb, and ~/.cursor/projects/<p>/agent-transcripts/<uuid>/<uuid>.jsonl.

The database has everything; the line files have neither times nor results, and stand for the conversations that are in
no database. The database is copied before it is read, since the program keeps it open.

The mark to resume from in a database is the greatest row id seen: Cursor replaces rows, so what has changed since has a
greater one. Conversations with such rows are given whole.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from . import places
from .client import Client
from .database import columns, copied, data, reading, text
from .lines import LONGEST, Line
from .reading import Reading
from .records import START, Event, Mark, Reached, Reason, Unreadable
from .streaming import LineReader
from .times import when

NAME = "cursor"
TABLE = "cursorDiskKV"


class CursorLines(LineReader):
    """A line file: {role, message: {content: […]}}, no ids."""

    agent = NAME

    @classmethod
    def begin(cls, path: Path, start: int) -> CursorLines:
        reader = cls(path, start, path.stem)
        # No record has a time; that of the file keeps an old conversation from looking like one of today.
        reader.reading.at(datetime.fromtimestamp(path.stat().st_mtime, UTC))
        if path.parent.name == "subagents":
            reader.reading.learn(parent=path.parent.parent.name)
        return reader

    def take(self, record: dict[str, Any], line: Line) -> Iterator[Event]:
        role, message = record.get("role"), record.get("message")
        if role not in ("user", "assistant") or not isinstance(message, dict):
            self.reading.skip(
                Reason.HOUSEKEEPING if role is None else Reason.UNKNOWN, detail=record.get("type") or role
            )
            return
        if role == "user":
            self.turn(line)
        content = message.get("content")
        parts = []
        for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            match block.get("type") if isinstance(block, dict) else None:
                case "text" if role == "user":
                    parts.append(self.reading.prompt(_asked(block.get("text"))))
                case "text":
                    parts.append(self.reading.answer(block.get("text")))
                case "tool_use":
                    parts.append(self.reading.call(block.get("name"), block.get("input")))
                case "tool_result":
                    parts.append(self.reading.result("tool", _text(block.get("content"))))
                case other:
                    self.reading.skip(Reason.UNKNOWN, detail=other)
        yield from self.reading.message(self.name(record, line), role, parts)


def read(source: Path, *, resume: Mark = START) -> Iterator[Event]:
    """The events of a line file or a database; see Client.read."""
    if source.suffix == ".jsonl":
        yield from CursorLines.stream(source, resume=resume)
        return
    with copied(source) as copy, reading(copy, frozenset({TABLE}), source) as connection:
        if "value" not in columns(connection, TABLE):
            raise Unreadable(f"{source} has no table {TABLE}: it is not Cursor's global state")
        (last,) = connection.execute(f"SELECT coalesce(max(rowid), 0) FROM {TABLE}").fetchone()  # noqa: S608
        changed = _changed(connection, resume.place) if 0 < resume.place <= last else None
        parents = _parents(connection)
        for key in _keys(connection, "composerData:"):
            native = key.partition(":")[2]
            if changed is None or native in changed:
                yield from _composer(connection, source, native, parents.get(native), again=resume != START)
                yield Reached(resume)
        yield Reached(Mark(last))


def _composer(
    connection: sqlite3.Connection, source: Path, native: str, parent: str | None, *, again: bool
) -> Iterator[Event]:
    session = Reading(NAME, native, source)
    composer = _value(connection, session, f"composerData:{native}")
    if composer is not None:
        session.learn(
            title=composer.get("name"), cwd=_folder(composer), parent=parent,
            created=when(composer.get("createdAt")), updated=when(composer.get("lastUpdatedAt")),
        )  # fmt: skip
        session.again, session.ids = again, set()
        entries = composer.get("fullConversationHeadersOnly") or composer.get("conversation")
        for entry in session.each(entries, "bubble"):
            if (bubble := text(entry.get("bubbleId"))) is None:
                session.skip(Reason.NOT_A_RECORD, detail="bubble")
                continue
            found = _value(connection, session, f"bubbleId:{native}:{bubble}") or (entry if "text" in entry else None)
            if found is None:
                session.skip(Reason.EMPTY, detail="bubble")
                session.keep(bubble)  # it is in the conversation, though it cannot be read now
            else:
                yield from _bubble(session, bubble, found)
    yield from session.close()
    if again and session.ids:
        yield from session.whole()


def _bubble(session: Reading, native: str, bubble: dict[str, Any]) -> Iterator[Event]:
    time = when(bubble.get("createdAt"))
    tool = bubble.get("toolFormerData")
    if bubble.get("thinking"):
        session.skip(Reason.THINKING)
    match bubble.get("type"):
        case 1:
            yield from session.message(native, "user", [session.prompt(_asked(bubble.get("text")))], time)
        case 2:
            parts = [session.answer(bubble.get("text"))]
            if isinstance(tool, dict):
                name = tool.get("name") or tool.get("tool")
                parts.append(session.call(name, tool.get("rawArgs") or tool.get("params")))
                parts.append(session.result(name, _text(tool.get("result"))))
            yield from session.message(native, "assistant", parts, time)
        case other:
            session.skip(Reason.UNKNOWN, detail=f"bubble {other}")


def _value(connection: sqlite3.Connection, session: Reading, key: str) -> dict[str, Any] | None:
    row = connection.execute(
        f"SELECT length(value), substr(value, 1, ?) FROM {TABLE} WHERE key = ?",  # noqa: S608
        (LONGEST, key),
    ).fetchone()
    if row is None or row[1] is None:
        return None
    return session.record(None if row[0] > LONGEST else data(row[1]), key.partition(":")[0])


def _keys(connection: sqlite3.Connection, prefix: str) -> list[str]:
    query = f"SELECT key FROM {TABLE} WHERE key >= ? AND key < ? ORDER BY rowid"  # noqa: S608
    return [key for (key,) in connection.execute(query, (prefix, f"{prefix[:-1]};")) if text(key) is not None]


def _changed(connection: sqlite3.Connection, mark: int) -> set[str]:
    rows = connection.execute(f"SELECT key FROM {TABLE} WHERE rowid > ?", (mark,))  # noqa: S608
    return {key.split(":")[1] for (key,) in rows if text(key) and key.startswith(("composerData:", "bubbleId:"))}


def _parents(connection: sqlite3.Connection) -> dict[str, str]:
    """Sub-agents by the conversation that names them."""
    found: dict[str, str] = {}
    for key in _keys(connection, "composerData:"):
        query = f"SELECT value FROM {TABLE} WHERE key = ? AND value LIKE '%subComposerIds%'"  # noqa: S608
        for (value,) in connection.execute(query, (key,)):
            try:
                children = json.loads(data(value)).get("subComposerIds")
            except (ValueError, AttributeError, RecursionError):
                continue  # counted when the conversation itself is read
            for child in children if isinstance(children, list) else ():
                if isinstance(child, str):
                    found[child] = key.partition(":")[2]
    return found


def _folder(composer: dict[str, Any]) -> Any:
    workspace = composer.get("workspaceIdentifier")
    uri = workspace.get("uri") if isinstance(workspace, dict) else None
    return uri.get("fsPath") if isinstance(uri, dict) else None


def _asked(text: Any) -> Any:
    """What the person asked: prompts carry it in a tag, between what the editor adds."""
    if not isinstance(text, str) or "<user_query>" not in text:
        return text
    return text.partition("<user_query>")[2].partition("</user_query>")[0].strip()


def _text(content: Any) -> Any:
    if isinstance(content, list):
        return "\n".join(str(b.get("text") or "") for b in content if isinstance(b, dict))
    return content if isinstance(content, str) else None


def find(home: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """Databases first, then the line files of conversations that are in none of them."""
    yield from distinct([*places.cursor_databases(home, environ), *places.cursor_lines(home)])


def distinct(paths: Iterable[Path]) -> Iterator[Path]:
    """Without the line files of conversations that a database among them has."""
    every = list(paths)
    files = [path for path in every if path.suffix == ".jsonl"]
    known: set[str] = set()
    for database in (path for path in every if path not in files):
        yield database
        if files:
            # One that cannot be read is told of when it is read itself.
            with suppress(Unreadable), copied(database) as copy, reading(copy, frozenset({TABLE})) as connection:
                known |= {key.partition(":")[2] for key in _keys(connection, "composerData:")}
    yield from (path for path in files if path.stem not in known)


def knows(path: Path) -> bool:
    if path.suffix != ".jsonl":
        return path.name == "state.vscdb"
    record = places.first_record(path)
    return record is not None and "role" in record and isinstance(record.get("message"), dict) and "type" not in record


CLIENT = Client(NAME, places.cursor_roots, find, read, knows, distinct)
