"""Stopping anywhere and going on: the store holds the same as after reading the finished file once."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import zstandard
from tallystick.capture import CLIENTS, START, Mark, Reached, recognise

from .told import HOME, Told

FILES = sorted(path for path in HOME.rglob("*.jsonl"))


def named(path: Path) -> str:
    client = recognise(path)
    assert client is not None
    return client.name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[-24:])
def test_growing_by_any_number_of_bytes(path: Path, tmp_path: Path) -> None:
    """The file is read after every append, each time from the last mark; appends end inside lines and at their ends."""
    read = CLIENTS[named(path)].read
    data, whole = path.read_bytes(), Told().take(read(path))
    growing = tmp_path / path.relative_to(HOME)
    top = path.relative_to(HOME).parts[0]
    shutil.copytree(HOME / top, tmp_path / top)
    cuts = {at + shift for at, byte in enumerate(data) if byte == 10 for shift in (-20, 0, 1)} | {len(data)}
    told, mark = Told(), START
    for cut in sorted(c for c in cuts if c > 0):
        growing.write_bytes(data[:cut])
        shutil.copystat(path, growing)  # Cursor's lines have no time but that of their file
        told.take(read(growing, resume=mark))
        mark = told.marks[-1].resume
    (session,) = whole.sessions
    assert told.lines(session) == whole.lines(session)
    assert list(told.messages[session]) == list(whole.messages[session])
    header, expected = told.sessions[session], whole.sessions[session]
    assert (header.title, header.created, header.updated, header.cwd, header.parent) == (
        expected.title, expected.created, expected.updated, expected.cwd, expected.parent,
    )  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[-24:])
def test_reading_again_adds_nothing(path: Path) -> None:
    read = CLIENTS[named(path)].read
    told = Told().take(read(path))
    new, lines = told.new, told.lines()
    told.take(read(path, resume=told.marks[-1].resume))
    assert told.new == new
    assert told.lines() == lines


def conversation(path: Path, turns: int, size: int) -> list[str]:
    """A file of `turns` prompts and answers of `size` characters; returns the ids of the prompts."""
    parent, prompts = None, []
    with path.open("w", encoding="utf-8") as file:
        for number in range(turns):
            for role in ("user", "assistant"):
                uuid = f"{role}-{number}"
                message = {"content": f"{number} " + "x" * size}
                file.write(json.dumps({"type": role, "uuid": uuid, "parentUuid": parent, "message": message}) + "\n")
                parent = uuid
            prompts.append(f"user-{number}")
    return prompts


def prompt(path: Path, uuid: str, parent: str | None) -> None:
    with path.open("a", encoding="utf-8") as file:
        record = {"type": "user", "uuid": uuid, "parentUuid": parent, "message": {"content": uuid}}
        file.write(json.dumps(record) + "\n")


@pytest.mark.parametrize("back_to", [290, 5], ids=["near", "far"])
def test_a_rewind_after_the_mark_reaches_before_it(back_to: int, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    conversation(path, 300, 2000)
    read = CLIENTS["claude-code"].read
    told = Told().take(read(path))
    prompt(path, "back", f"assistant-{back_to}")
    told.take(read(path, resume=told.marks[-1].resume))
    assert list(told.messages["s"]) == list(Told().take(read(path)).messages["s"])
    assert list(told.messages["s"])[-2:] == [f"assistant-{back_to}", "back"]
    prompt(path, "and forth", "assistant-299")
    told.take(read(path, resume=told.marks[-1].resume))
    assert len(told.messages["s"]) == 601
    assert list(told.messages["s"])[-2:] == ["assistant-299", "and forth"]


def test_a_roll_back_after_the_mark_reaches_before_it(tmp_path: Path) -> None:
    path = tmp_path / "rollout-x.jsonl"
    event = '{"type":"event_msg","payload":{"type":"user_message","message":"%s"}}\n'
    path.write_text("".join(event % n for n in range(50)), "utf-8")
    read = CLIENTS["codex"].read
    told = Told().take(read(path))
    with path.open("a") as file:
        file.write('{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":48}}\n' + event % "new")
    told.take(read(path, resume=told.marks[-1].resume))
    assert told.lines() == ["user: 0", "user: 1", "user: new"]


def test_marks_come_often_and_a_killed_run_goes_on_from_any(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    conversation(path, 1000, 4000)
    read = CLIENTS["claude-code"].read
    events = list(read(path))
    marks = [number for number, event in enumerate(events) if isinstance(event, Reached)]
    assert len(marks) == path.stat().st_size // (1024 * 1024) + 1
    whole = Told().take(events)
    for number in marks[:: len(marks) // 3]:
        told = Told().take(events[: number + 1])
        told.take(read(path, resume=told.marks[-1].resume))
        assert list(told.messages["s"]) == list(whole.messages["s"])


def test_a_great_rewind_has_marks_in_it(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    conversation(path, 2000, 10)
    prompt(path, "back", "assistant-0")
    events = list(CLIENTS["claude-code"].read(path))
    assert sum(isinstance(event, Reached) for event in events) >= 4


def test_a_file_that_became_shorter_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    conversation(path, 1, 10)
    told = Told().take(CLIENTS["claude-code"].read(path, resume=Mark(10_000)))
    assert len(told.messages["s"]) == 2


@pytest.mark.parametrize("turns", [1, 5])
def test_a_replaced_file_is_read_as_the_other_one_that_it_is(turns: int, tmp_path: Path) -> None:
    """Even where a line of it ends at the mark; a run that is killed meanwhile begins it once more."""
    path = tmp_path / "s.jsonl"
    conversation(path, turns, 2000)
    read = CLIENTS["claude-code"].read
    told = Told().take(read(path))
    mark = told.marks[-1].resume
    other = path.read_text("utf-8").replace("user-", "beta-").replace("xxx", "yyy")
    path.write_text(other + other.replace("beta-", "more-").replace("assistant-", "reaction-") * 300, "utf-8")
    events = list(read(path, resume=mark))
    reached = [event.resume for event in events if isinstance(event, Reached)]
    assert len(reached) > 1
    assert set(reached[:-1]) == {mark}
    told.take(events)
    assert told.texts() == Told().take(read(path)).texts()
    assert told.marks[-1].resume == Told().take(read(path)).marks[-1].resume


def test_a_file_in_which_nothing_is_left_takes_nothing_away(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    conversation(path, 2, 10)
    told = Told().take(CLIENTS["claude-code"].read(path))
    path.write_text("", "utf-8")
    told.take(CLIENTS["claude-code"].read(path, resume=told.marks[-1].resume))
    assert len(told.messages["s"]) == 4


def test_a_compressed_file_is_resumed_in_and_noticed_when_replaced(tmp_path: Path) -> None:
    path = tmp_path / "rollout-1.jsonl.zst"
    event = '{"type":"event_msg","payload":{"type":"user_message","message":"%s"}}\n'
    read = CLIENTS["codex"].read
    told, mark = Told(), START
    for said in (["one", "two"], ["one", "two", "six"], ["ten"]):
        path.write_bytes(zstandard.compress("".join(event % text for text in said).encode()))
        told.take(read(path, resume=mark))
        mark = told.marks[-1].resume
        assert told.lines() == [f"user: {text}" for text in said]
