"""Lines of standard input as JSON-RPC messages, or as the error answer that a broken line deserves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn

PARSE_ERROR = -32700
INVALID_REQUEST = -32600

MAX_LINE = 16 * 1024 * 1024  # above what the server takes, so that its refusal still carries the request's id
MAX_TYPED = 64 * 1024

TYPED_ID = 1
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Message:
    """One JSON-RPC request, notification (`id` is None) or answer (`method` is empty), with the bytes to send on."""

    body: bytes
    method: str
    params: dict[str, Any]
    id: int | str | None

    @property
    def is_request(self) -> bool:
        return self.id is not None


@dataclass(frozen=True, slots=True)
class Broken:
    """A line that is no message; `answer` is the JSON-RPC error for it."""

    answer: bytes


def failure(request_id: int | str | None, code: int, message: str) -> bytes:
    """A JSON-RPC error answer: one line, plain ASCII, without its line end."""
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}).encode()


def read(stream: BinaryIO) -> Iterator[Message | Broken]:
    """Every message of a stream until its end. Blank lines are skipped.

    One line holds one message. An object typed by hand may lack `jsonrpc`, and may then run over several lines, up to
    64 KiB in all, as the examples in the Memvault documentation do.
    """
    typed = b""
    for line in _lines(stream):
        if line is None:
            yield Broken(failure(None, INVALID_REQUEST, f"The line is longer than {MAX_LINE} bytes."))
            typed = b""
            continue
        if not line.strip():
            continue
        if typed and _is_message(line):
            yield _parse(typed)  # the object before was cut off; this line is whole and stands for itself
            typed = b""
        typed += line
        if len(typed) <= MAX_TYPED and _unfinished(typed):
            continue
        yield _parse(typed)
        typed = b""
    if typed:
        yield _parse(typed)


def _lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Lines with their ends; None for one that is too long, which is skipped without being kept."""
    while line := stream.readline(MAX_LINE + 1):
        if len(line) <= MAX_LINE:
            yield line.removeprefix(BYTE_ORDER_MARK)  # PowerShell puts one before what it pipes
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE)
        yield None


def _is_message(line: bytes) -> bool:
    return b'"jsonrpc"' in line and isinstance(_parse(line), Message)


def _unfinished(text: bytes) -> bool:
    """Whether this is the beginning of an object typed by hand. A message of a program is one line, whole or broken."""
    if not text.lstrip().startswith(b"{") or b'"jsonrpc"' in text.partition(b"\n")[0]:
        return False
    try:
        _decode(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(error.doc.rstrip())
    except (ValueError, RecursionError):
        return False
    return False


def _decode(text: bytes) -> Any:  # any JSON value
    return json.loads(text.decode("utf-8"), parse_constant=_no_constant)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _parse(text: bytes) -> Message | Broken:
    text = text.strip()
    try:
        value = _decode(text)
    except json.JSONDecodeError as error:
        return Broken(failure(None, PARSE_ERROR, f"The line is not JSON: {error.msg} at character {error.pos + 1}."))
    except UnicodeDecodeError as error:
        return Broken(failure(None, PARSE_ERROR, f"The line is not UTF-8: byte {error.start + 1} does not decode."))
    except (ValueError, RecursionError):
        return Broken(failure(None, PARSE_ERROR, "The line is not JSON that can be read."))
    if isinstance(value, list):
        return Broken(failure(None, INVALID_REQUEST, "Batches are not part of MCP; send one message a line."))
    if not isinstance(value, dict):
        return Broken(failure(None, INVALID_REQUEST, "A message is a JSON object with jsonrpc, id, method and params."))
    return _message(value, text)


def _message(value: dict[str, Any], text: bytes) -> Message | Broken:
    given = value.get("id")
    usable = isinstance(given, int | str) and not isinstance(given, bool)
    request_id = given if usable else None
    method, params = value.get("method"), value.get("params", {})
    if not isinstance(method, str) or not method:
        if "result" in value or "error" in value:
            return Message(text, "", {}, None)
        return Broken(failure(request_id, INVALID_REQUEST, "The message has no method."))
    if "id" in value and not usable:
        return Broken(failure(None, INVALID_REQUEST, "The id of a request is a string or an integer."))
    if not isinstance(params, dict):
        return Broken(failure(request_id, INVALID_REQUEST, "params must be an object."))
    if value.get("jsonrpc", "2.0") != "2.0":
        return Broken(failure(request_id, INVALID_REQUEST, 'jsonrpc must be "2.0".'))
    if "jsonrpc" not in value:
        if "id" not in value and not method.startswith("notifications/"):
            request_id = value["id"] = TYPED_ID
        text = json.dumps({"jsonrpc": "2.0", **value}).encode()
    return Message(text, method, params, request_id)
