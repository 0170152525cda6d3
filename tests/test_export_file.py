"""An export that is damaged is refused by the line, whatever is wrong with it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from tallystick.cli import export_file
from tallystick.cli.export_file import KINDS, ExportFile
from tallystick.cli.failure import Failure

AT = "2026-05-29T09:00:00.000000Z"
SESSION = {
    "record": "session", "id": "ses_1", "agent": "a", "native_id": "n", "title": "t", "created": AT, "updated": AT,
    "titled": True, "timed": True,
}  # fmt: skip
MESSAGES = [
    {
        "record": "message", "session": "ses_1", "id": f"m{n}", "version": "v", "role": "user", "content": "said ★",
        "captured": AT,
    }
    for n in range(3)
]  # fmt: skip
COUNTS = dict.fromkeys(KINDS, 0) | {"session": 1, "message": 3}
HEADER = {"format": "tallystick-export", "version": 1, "exported": AT, "user": "local", "counts": COUNTS}
WHOLE = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (HEADER, SESSION, *MESSAGES))


def read(data: bytes) -> list[dict[str, Any]]:
    return list(ExportFile(io.BytesIO(data), "a.jsonl"))


def test_whole() -> None:
    export = ExportFile(io.BytesIO(WHOLE.encode()), "a.jsonl")
    assert export.header == HEADER
    assert list(export) == [SESSION, *MESSAGES]
    assert (export.line, export.position) == (5, len(WHOLE.encode()))
    assert read(WHOLE.rstrip("\n").encode()) == [SESSION, *MESSAGES]


def line(number: int, change: Callable[[str], str]) -> str:
    lines = WHOLE.splitlines(keepends=True)
    lines[number - 1] = change(lines[number - 1])
    return "".join(lines)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: this is no export of tallystick"),
        (WHOLE[:30], "line 1: this is not JSON"),
        (WHOLE[:-9], "line 5: this is not JSON"),
        (line(5, lambda text: ""), "line 4: the file ends here with 2 lines of message, and its first line says 3"),
        (line(5, lambda text: text * 2), "line 6: the file ends here with 4 lines of message"),
        (line(2, lambda text: ""), "line 4: the file ends here with 0 lines of session"),
        (line(3, lambda text: "\n" + text), "line 3: this is not JSON"),
        (line(3, lambda text: "null\n"), "line 3: /record is not one of persona, facts"),
        (line(3, lambda text: "[]\n"), "line 3: /record is not one of"),
        (line(3, lambda text: '{"record": ["message"]}\n'), "line 3: /record is not one of"),
        (line(3, lambda text: text.replace('"user"', '"pope"')), "line 3: /role: the value is not one of user"),
        (line(3, lambda text: text.replace("said", "said\\u0000")), "line 3: /content holds NUL"),
        (line(3, lambda text: text.replace("said", "\\ud800")), "line 3: /content holds a lone surrogate"),
        (line(3, lambda text: text.replace('"id"', '"di"')), "line 3: /id is required"),
        (line(3, lambda text: text.replace(AT, "yesterday")), "line 3: /captured"),
        (line(3, lambda text: "[" * 100_000 + "\n"), "line 3: this is not JSON"),
        (line(1, lambda text: ""), "line 1: this is no export of tallystick"),
        (line(1, lambda text: text.replace("tallystick-export", "else")), "line 1: this is no export of tallystick"),
        (line(1, lambda text: text.replace('"version": 1', '"version": 2')), "line 1: it has version 2"),
        (line(1, lambda text: text.replace('"local"', '"a/b"')), "line 1: /user"),
        (line(1, lambda text: text.replace('"link": 0', '"links": 0')), "line 1: /counts/link"),
    ],
)
def test_damaged(text: str, said: str) -> None:
    with pytest.raises(Failure) as failed:
        read(text.encode())
    assert f"a.jsonl, {said}" in str(failed.value)
    assert str(failed.value).endswith("Nothing was imported.")


def test_not_utf_8() -> None:
    with pytest.raises(Failure, match="line 3: this is not JSON"):
        read(WHOLE.replace("★", "\xff", 1).encode("latin-1", "replace"))


def test_a_line_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_file, "LONGEST", 1024 * 1024)
    endless = io.BytesIO(WHOLE.encode() + b"x" * 8 * 1024 * 1024)
    with pytest.raises(Failure, match="line 6: it is longer than 1 MiB"):
        list(ExportFile(endless, "a.jsonl"))
    assert endless.tell() < 2 * 1024 * 1024
