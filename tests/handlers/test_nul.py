"""A NUL in a text is refused before anything is written: newer versions of SQLite call a trigram index that met one malformed,
and the full text of Chroma breaks over it."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import apsw
import httpx
import pytest

from tests.live import Live, store

HALVES = "before " + "x" * 1000 + "\0" + "y" * 1000 + " after"
NOTE = {"summary": "s", "context": "c", "conversation_id": "nc-nul-20260529"}
MESSAGE = {"id": "m", "role": "user", "content": "hello"}
CALLS: dict[str, tuple[str, str, Any]] = {
    "context": ("POST", "/v1/memories", NOTE | {"context": HALVES}),
    "many": ("POST", "/v1/memories", NOTE | {"context": "before " + "\0" * 10_291 + " after"}),
    "summary": ("POST", "/v1/memories", NOTE | {"summary": "a\0b"}),
    "conversation": ("POST", "/v1/memories", NOTE | {"conversation_id": "a\0b"}),
    "tag": ("POST", "/v1/memories", NOTE | {"tags": ["a\0b"]}),
    "title": ("POST", "/v1/memory-update", {"kind": "knowledge", "title": "a\0b", "body": "b"}),
    "body": ("POST", "/v1/memory-update", {"kind": "knowledge", "title": "t", "body": HALVES}),
    "message": ("PUT", "/v1/sessions/one", {"messages": [MESSAGE | {"content": HALVES}]}),
    "session": ("PUT", "/v1/sessions/two", {"title": "a\0b", "messages": [MESSAGE]}),
    "facts": ("PATCH", "/v1/facts", {"a": {"b": ["c\0d"]}}),
    "name of a fact": ("PATCH", "/v1/facts", {"a\0b": 1}),
}


def malformed(home: Path) -> list[str]:
    """What an SQLite newer than Python's own says of every database of a home."""
    found = []
    for path in home.rglob("*"):
        if path.is_file() and path.read_bytes()[:15] == b"SQLite format 3":
            with contextlib.closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
                found += [
                    f"{path.name}: {row[0]}" for row in connection.execute("PRAGMA quick_check") if row[0] != "ok"
                ]
    return found


@pytest.mark.parametrize("name", CALLS)
def test_it_is_refused_and_nothing_is_written(live: Live, rest: httpx.Client, name: str) -> None:
    method, path, body = CALLS[name]
    answer = rest.request(method, path, json=body)
    assert answer.status_code == 422
    assert "NUL" in answer.json()["error"]["message"]
    assert rest.get("/v1/memories").json()["items"] == []
    assert rest.get("/v1/sessions").json()["items"] == []
    assert rest.get("/v1/facts").json()["user_facts"] == {}


def test_every_file_is_sound_to_a_newer_sqlite(live: Live, rest: httpx.Client) -> None:
    made = store(rest, "Searched after: 用户身份验证失败需要处理, ★ 🎉 完成 naïve")
    for method, path, body in CALLS.values():
        assert rest.request(method, path, json=body).status_code == 422
    live.indexed()
    assert tuple(map(int, apsw.sqlite_lib_version().split("."))) >= (3, 51, 1), "older ones see nothing"
    assert malformed(live.settings.home) == []
    assert [item["id"] for item in rest.post("/v1/memory-recall", json={"query": "after"}).json()["items"]] == [made]
