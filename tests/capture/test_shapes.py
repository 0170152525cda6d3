"""Any value of a transcript may be of any other type: readers count what they do not know, and what they give is accepted."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tallystick.capture import (
    CLIENTS,
    START,
    CapturedMessage,
    CapturedSession,
    Event,
    Mark,
    Reason,
    Unreadable,
    recognise,
)
from tallystick.cli.keeping import steps
from tallystick_contract.models import AppendMessagesRequest, CaptureSessionRequest

from .told import HOME, Told

FILES = sorted([*HOME.rglob("*.jsonl"), *HOME.rglob("session-*.json")])
ODD: list[Any] = [
    None, True, 5, -1, 1.5, float("nan"), 10**40, "", "x", "\ud800", "a\0b", "x" * 300, "current", "/", [], [5], ["x"], [[]],
    [None], {}, {"type": ["x"]}, {"id": 5}, [{"type": 5}],
]  # fmt: skip


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value in a JSON value."""
    yield at
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*at, key))


def mutated(value: Any, at: tuple[Any, ...], odd: Any) -> Any:
    """The value with another one at a path."""
    if not at:
        return odd
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = mutated(copy[at[0]], at[1:], odd)
    return copy


def accepted(events: Iterable[Event]) -> None:
    """Takes all events as the importer does, and has the contract look at what it would post."""
    for step in steps(list(events), None):
        header = step.header
        messages = [
            {"id": message.id, "role": message.role, "content": message.content}
            for _, message in step.messages.values()
        ]
        given = {"session": header.native_id, "agent": header.agent, "title": header.title, "cwd": header.cwd}
        CaptureSessionRequest.model_validate({k: v for k, v in given.items() if v is not None} | {"messages": messages})
        AppendMessagesRequest.model_validate(
            {"session": header.parent or header.native_id, "messages": [], "withdrawn": list(step.withdrawn)}
        )


def told(name: str, path: Path, resume: Mark = START) -> list[Event]:
    try:
        return list(CLIENTS[name].read(path, resume=resume))
    except Unreadable as error:
        str(error).encode()
        return []


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name[:8]}-{path.name[-16:]}")
def test_any_value_of_a_file_may_be_of_another_type(path: Path, tmp_path: Path) -> None:
    client, top = recognise(path), path.relative_to(HOME).parts[0]
    assert client is not None
    shutil.copytree(HOME / top, tmp_path / top)
    copy = tmp_path / path.relative_to(HOME)
    lines = path.read_bytes().splitlines() if path.suffix == ".jsonl" else [path.read_bytes()]
    read = {number: value for number, value in ((n, parsed(line)) for n, line in enumerate(lines)) if value is not None}
    every = [(number, at) for number, value in read.items() for at in places(value)]
    random = Random(path.name)
    for number, at in every:
        odd = mutated(read[number], at, random.choice(ODD))
        changed = [*lines[:number], json.dumps(odd).encode(), *lines[number + 1 :]]
        copy.write_bytes(b"\n".join(changed) + b"\n")
        accepted(told(client.name, copy))


def parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


@pytest.mark.parametrize("client", ["opencode", "cursor"])
def test_any_value_of_a_database_may_be_of_another_type(client: str, tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    with closing(sqlite3.connect(path)) as database:
        database.executescript((HOME.parent / f"{client}.sql").read_text("utf-8").replace("NOT NULL", ""))
    random = Random(client)
    for table in ["cursorDiskKV"] if client == "cursor" else ["session", "message", "part", "session_message"]:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute("PRAGMA synchronous=OFF")
            names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            rows = database.execute(f"SELECT rowid, {', '.join(names)} FROM {table}").fetchall()
            for rowid, *values in rows:
                for name, value in zip(names, values, strict=True):
                    odd: list[Any] = [None, 5, 1.5, b"\xff\xfe", "", "x", "\ufffd\0", 10**17]
                    inner = parsed(value.encode()) if isinstance(value, str) else None
                    if isinstance(inner, dict):
                        odd += [json.dumps(mutated(inner, at, random.choice(ODD))) for at in places(inner)]
                    for other in odd:
                        database.execute(f"UPDATE {table} SET {name} = ? WHERE rowid = ?", (other, rowid))
                        accepted(told(client, path, random.choice([START, Mark(1)])))
                    database.execute(f"UPDATE {table} SET {name} = CAST(X'ff61' AS TEXT) WHERE rowid = ?", (rowid,))
                    assert told(client, path), (table, rowid, name)  # one value that is no UTF-8 loses none of the rest
                    database.execute(f"UPDATE {table} SET {name} = ? WHERE rowid = ?", (value, rowid))


def line(**record: Any) -> str:
    return json.dumps(record) + "\n"


def test_names_that_no_store_takes_become_ones_that_differ(tmp_path: Path) -> None:
    prompt = line(type="user", uuid="u1", message={"content": "hello"})
    names = ["current", "tab\there", "n" * 200, "n" * 199 + "m", "\udcff-not-utf-8", "plain é"]
    sessions = []
    for name in names:
        path = tmp_path / f"{name}.jsonl"
        path.write_text(prompt, "utf-8")
        events = told("claude-code", path)
        accepted(events)
        sessions += [event.native_id for event in events if isinstance(event, CapturedSession)]
        assert told("claude-code", path)[0] == events[0]
    assert len(set(sessions)) == len(names)
    assert sessions[-1] == "plain é"
    log = tmp_path / "session-1.jsonl"
    log.write_text(line(sessionId="a/b", projectHash="x") + line(id="1", type="user", content="hello"), "utf-8")
    accepted(told("gemini", log))


def test_messages_without_an_id_of_their_own_are_named_by_their_place(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first = line(type="user", uuid="", message={"content": "one"})
    path.write_text(first + line(type="assistant", uuid="", message={"content": "two"}) + line(
        type="user", uuid="u" * 129, message={"content": "three"}
    ), "utf-8")  # fmt: skip
    one, two, three = (event.id for event in told("claude-code", path) if isinstance(event, CapturedMessage))
    assert (one, two, len(three)) == ("line-0", f"line-{len(first)}", 128)
    accepted(told("claude-code", path))


def test_a_message_is_cut_where_it_would_not_fit_into_a_request(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    blocks = [{"type": "text", "text": "\x1b" * 250_000} for _ in range(5)]
    path.write_text(line(type="user", uuid="u1", message={"content": blocks}), "utf-8")
    reading = Told().take(told("claude-code", path))
    (content,) = (message.content for message in reading.messages["s"].values())
    assert 500_000 < len(content) < 1_048_576
    assert len(json.dumps(content)) < 3.5 * 1024 * 1024  # a request may have 4 MiB
    assert reading.count(Reason.CUT) == 1
    log = tmp_path / "session-1.jsonl"
    call = {"name": "run", "result": [{"functionResponse": {"response": {"output": "x" * 5000}}}]}
    record = line(id="1", type="gemini", content="", toolCalls=[call] * 450)
    log.write_text(line(sessionId="g", projectHash="x") + record, "utf-8")
    accepted(told("gemini", log))
