"""Lines and characters: what no transcript may break."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

import pytest
from tallystick.capture import CLIENTS, START, Mark, Reason, Unreadable
from tallystick.capture.lines import LONGEST, fingerprint, goes_on, lines, opened, parse, sound

from .told import Told


def split(data: bytes, **options: int) -> list[tuple[int, bytes | None]]:
    return [(line.offset, line.data) for line in lines(io.BytesIO(data), **options)]


def test_only_newlines_end_a_line() -> None:
    data = "a\u2028b\u0085c\rd\x0be\n\nf\r\nhalf".encode()
    assert split(data) == [(0, "a\u2028b\u0085c\rd\x0be".encode()), (13, b""), (14, b"f\r")]


def test_an_over_long_line_is_passed_over() -> None:
    data = b"a\n" + b"x" * 11 + b"\n" + b"y" * 10 + b"\nb\n"
    assert split(data, longest=10) == [(0, b"a"), (2, None), (14, b"y" * 10), (25, b"b")]
    assert split(b"a\n" + b"x" * 50, longest=10) == [(0, b"a")]  # over-long and not finished: left for the next run


def test_stop() -> None:
    assert split(b"a\nb\nc\n", stop=4) == [(0, b"a"), (2, b"b")]


def test_a_mark_names_the_line_that_begins_there(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"a\nb\n")
    assert goes_on(path, START)
    assert goes_on(path, Mark(2, fingerprint(b"b")))
    for other in (
        Mark(2, fingerprint(b"c")),
        Mark(0, fingerprint(b"b")),
        Mark(3, ""),
        Mark(4, fingerprint(b"b")),
        Mark(99),
    ):
        assert not goes_on(path, other)


def test_parse() -> None:
    assert parse('{"a":"\u2028"}'.encode()) == ({"a": "\u2028"}, 0)
    assert parse(b'{"a":"\xff\xfe\xef\xbf\xbd"}') == ({"a": "\ufffd\ufffd\ufffd"}, 2)
    assert parse(b'{"a":"x\x00y"}') == ({"a": "x\x00y"}, 0)
    for bad in (b'{"a":', b"[" * 100_000, b"\xff"):
        with pytest.raises(ValueError, match=r"Expecting|too deep"):
            parse(bad)


def test_sound() -> None:
    assert sound("plain 😀 \ufffd") == ("plain 😀 \ufffd", 0)
    assert sound("a\0b\ud83dc") == ("a\ufffdb\ufffdc", 2)


def test_a_missing_file_is_said() -> None:
    with (
        pytest.raises(Unreadable, match=r"nowhere\.jsonl cannot be read: No such file"),
        opened(Path("/nowhere.jsonl")),
    ):
        pass
    for client in CLIENTS.values():
        with pytest.raises(Unreadable, match="nowhere"):
            list(client.read(Path("/nowhere.jsonl")))


def test_an_over_long_line_is_counted_and_never_held(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    record = '{"type":"user","uuid":"%s","message":{"content":"%s"}}\n'
    with path.open("w") as file:
        file.write(record % ("u1", "before"))
        file.write('{"type":"user","message":"')
        for _ in range(64):
            file.write("x" * (LONGEST // 32))
        file.write('"}\n')
        file.write('{"type":"user","uuid":"u2","parentUuid":"u1","message":{"content":"after"}}\n')
    tracemalloc.start()
    told = Told().take(CLIENTS["claude-code"].read(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert told.lines() == ["user: before", "user: after"]
    assert told.count(Reason.TOO_LONG) == 1
    assert peak < 2.5 * LONGEST
