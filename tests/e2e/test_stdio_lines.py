"""What the bridge makes of the bytes on standard input."""

from __future__ import annotations

import io
import json

import pytest
from tallystick.transports.stdio import MAX_LINE, Broken, Message, read

LIST = b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'


def parsed(text: bytes) -> list[Message | Broken]:
    return list(read(io.BytesIO(text)))


def answers(text: bytes) -> list[tuple[object, int]]:
    """Id and code of each error answer."""
    found = [json.loads(item.answer) for item in parsed(text) if isinstance(item, Broken)]
    return [(one["id"], one["error"]["code"]) for one in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"jsonrpc":"2.0","method":"test","params":', [(None, -32700)]),
        (b"[]", [(None, -32600)]),
        (b'{"id":7}', [(7, -32600)]),
        (b'{"id":82,"method":""}', [(82, -32600)]),
        (b'{"jsonrpc":"2.0","id":"a","method":7}', [("a", -32600)]),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', [(None, -32600)]),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', [(None, -32600)]),
        (b'{"jsonrpc":"2.0","id":8,"method":"ping","params":[1]}', [(8, -32600)]),
        (b'{"jsonrpc":"1.0","id":9,"method":"ping"}', [(9, -32600)]),
        (b'"text"', [(None, -32600)]),
        (b"x" * 5_000_000, [(None, -32700)]),
        (b"\xff\xfe", [(None, -32700)]),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', [(None, -32700)]),
        (b"", []),
        (b" \t\r", []),
        (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":NaN}}', [(None, -32700)]),
        (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":' + b"9" * 5000 + b"}}", [(None, -32700)]),
        (b"[" * 100_000, [(None, -32700)]),
        (b"y" * (MAX_LINE + 10), [(None, -32600)]),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_broken_line_is_answered_and_the_next_one_served(line: bytes, expected: list[tuple[object, int]]) -> None:
    assert answers(line + b"\n" + LIST) == expected
    last = parsed(line + b"\n" + LIST)[-1]
    assert isinstance(last, Message)
    assert (last.id, last.method) == (2, "tools/list")


def test_bytes_go_on_as_they_came() -> None:
    line = '{"jsonrpc": "2.0", "id": "é", "method": "tools/call", "params": {"x": "★ 🎉 完成 \\ud83d"}}'.encode()
    (item,) = parsed(line + b"\r\n")
    assert isinstance(item, Message)
    assert item.body == line
    assert item.id == "é"


def test_an_object_typed_by_hand_becomes_request_1() -> None:
    (item,) = parsed(b'{"method":"tools/list","params":{}}\n')
    assert isinstance(item, Message)
    assert json.loads(item.body) == {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def test_it_may_run_over_several_lines_and_have_no_line_end() -> None:
    text = b'{\n  "method": "tools/call",\n  "params": {\n    "name": "x",\n    "arguments": {}\n  }\n}'
    (item,) = parsed(b"\xef\xbb\xbf" + text)
    assert isinstance(item, Message)
    assert (item.id, item.method, item.params["name"]) == (1, "tools/call", "x")


def test_two_of_them_in_a_row() -> None:
    first, second = parsed(b'{"method":\n"ping"}\n{"id": 5,\n "method": "tools/list"}\n')
    assert isinstance(first, Message)
    assert isinstance(second, Message)
    assert (first.method, first.id, second.method, second.id) == ("ping", 1, "tools/list", 5)


def test_one_that_never_ends_is_answered_at_64_kib_or_at_the_end() -> None:
    assert answers(b'{"method":\n') == [(None, -32700)]
    assert answers(b'{"method": "x",\n' + b" \n" + b'"a":\n' * 20_000)[0] == (None, -32700)


def test_a_whole_message_after_a_cut_object_stands_for_itself() -> None:
    broken, whole = parsed(b'{"method":\n' + LIST)
    assert isinstance(broken, Broken)
    assert isinstance(whole, Message)
    assert whole.id == 2


def test_a_notification_has_no_id() -> None:
    with_version, typed = parsed(
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"method":"notifications/initialized"}\n'
    )
    assert isinstance(with_version, Message)
    assert isinstance(typed, Message)
    assert not with_version.is_request
    assert not typed.is_request
