"""JSONL as agents write it: split on \\n only, streamed, with byte offsets that a later run resumes from."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from .records import Mark, Unreadable

LONGEST = 32 * 1024 * 1024
"""Bytes of a line, its \\n not counted. A longer one is passed over in pieces and never held."""

_DECODER = json.JSONDecoder(strict=False)
_PIECE = 1024 * 1024
_SURROGATE = re.compile("[\ud800-\udfff\0]")


@dataclass(frozen=True, slots=True)
class Line:
    """A finished line: where it begins, where the next one begins, its bytes without \\n, or None when over-long."""

    offset: int
    end: int
    data: bytes | None


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a transcript; `.zst` files (Codex compresses old rollouts) are decompressed on the way.

    Raises:
        Unreadable: the file is not there or not ours to read.
    """
    try:
        with path.open("rb", buffering=_PIECE) as raw:
            if path.suffix != ".zst":
                yield raw
                return
            from zstandard import ZstdDecompressor, ZstdError  # loaded for the few files that need it

            try:
                with ZstdDecompressor().stream_reader(raw, read_across_frames=True) as plain:
                    yield cast("BinaryIO", io.BufferedReader(cast("io.RawIOBase", plain), _PIECE))
            except ZstdError as error:
                raise Unreadable(f"{path} is no readable zstandard file: {error}") from error
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from error


def lines(stream: BinaryIO, start: int = 0, stop: int | None = None, longest: int = LONGEST) -> Iterator[Line]:
    """The finished lines of `stream`, which stands at byte `start`; ends before a line that begins at `stop` or later.

    A half line at the end is not given: its writer is not done, and the next run finds it at the same offset. Only \\n
    ends a line, since U+2028 and its like occur raw inside JSON strings.
    """
    offset = start
    while stop is None or offset < stop:
        data = stream.readline(longest + 1)
        end = offset + len(data)
        if data.endswith(b"\n"):
            yield Line(offset, end, data[:-1])
        elif len(data) <= longest:
            return
        else:
            while not data.endswith(b"\n"):
                data = stream.readline(_PIECE)
                end += len(data)
                if not data:
                    return
            yield Line(offset, end, None)
        offset = end


def advance(stream: BinaryIO, offset: int) -> None:
    """Brings a stream that stands at its beginning to a byte; a compressed one has to read up to there."""
    if stream.seekable():
        stream.seek(offset)
        return
    while offset and (piece := stream.read(min(offset, _PIECE))):
        offset -= len(piece)


def fingerprint(data: bytes) -> str:
    """What tells a line from others without keeping it."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def goes_on(path: Path, mark: Mark) -> bool:
    """Whether a file still has the line that a mark was set at. If not, it is shorter or another one than then."""
    with opened(path) as stream:
        advance(stream, max(mark.place - 1, 0))
        if mark.place and stream.read(1) != b"\n":
            return False
        if not mark.line:
            return True
        line = next(lines(stream, mark.place), None)
        return line is not None and line.data is not None and fingerprint(line.data) == mark.line


def parse(data: bytes) -> tuple[Any, int]:
    """(the JSON value of a line, how many undecodable bytes became U+FFFD). Raw control characters are let through.

    Raises:
        ValueError: it is no JSON, or nested too deep to be read.
    """
    replaced = 0
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode(errors="replace")
        replaced = text.count("\ufffd") - data.count("\ufffd".encode())
    try:
        return _DECODER.decode(text), replaced
    except RecursionError:
        raise ValueError("nested too deep") from None


def sound(text: str) -> tuple[str, int]:
    """(`text` with NUL and lone surrogates replaced by U+FFFD, how many): what every store and encoder can take."""
    if "\0" not in text:
        try:
            text.encode()
        except UnicodeEncodeError:
            pass
        else:
            return text, 0
    return _SURROGATE.subn("\ufffd", text)
