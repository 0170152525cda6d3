"""The bridge between pipes and a stand-in server: order, headers, failures, the end of input."""

from __future__ import annotations

import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tallystick.home import HomeInvalid
from tallystick.owner import OwnerMissing
from tallystick.transports import forward
from tallystick.transports.bridge import AGENT_HEADER, Bridge, identity, told
from tallystick.transports.forward import Forwarder, Target

from tests.e2e.upstream import Answer, Upstream, result

Start = Callable[[Callable[[dict[str, Any]], Answer]], Upstream]


@pytest.fixture
def start() -> Iterator[Start]:
    running: list[Upstream] = []

    def begin(answer: Callable[[dict[str, Any]], Answer]) -> Upstream:
        running.append(Upstream(answer))
        return running[-1]

    yield begin
    for one in running:
        one.close()


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    return request(number, "tools/call", name=tool, arguments=arguments)


def run(upstream: Upstream, *messages: dict[str, Any], token: str = "t", named: bool = False) -> list[dict[str, Any]]:
    """Everything the bridge writes for these messages, in the order written."""
    output = io.BytesIO()
    lines = io.BytesIO(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
    assert Bridge(Forwarder(lambda failed: Target(upstream.url, token), {}), output, named=named).run(lines)
    return [json.loads(line) for line in output.getvalue().splitlines()]


def test_a_call_waits_for_earlier_writes_and_reads_run_side_by_side(start: Start) -> None:
    def answer(body: dict[str, Any]) -> Answer:
        time.sleep(0.2)
        return result(body, {})

    upstream = start(answer)
    messages = [
        call(1, "store_context"),
        call(2, "search_memories"),
        call(3, "recall_context"),
        call(4, "update_user_facts"),
        call(5, "recall_memory"),
    ]
    written = run(upstream, *messages)
    assert sorted(one["id"] for one in written) == [1, 2, 3, 4, 5]
    seen = {one.body["id"]: one for one in upstream.seen}
    assert seen[2].began >= seen[1].ended
    assert seen[3].began >= seen[1].ended
    assert seen[2].began < seen[3].ended
    assert seen[3].began < seen[2].ended
    assert seen[4].began >= seen[1].ended
    assert seen[5].began >= seen[4].ended


def test_a_tool_of_another_version_counts_as_writing(start: Start) -> None:
    def answer(body: dict[str, Any]) -> Answer:
        time.sleep(0.1)
        return result(body, {})

    upstream = start(answer)
    run(upstream, call(1, "a_tool_of_tomorrow"), call(2, "search_memories"))
    first, second = sorted(upstream.seen, key=lambda one: one.body["id"])
    assert second.began >= first.ended


def test_what_is_no_call_does_not_wait(start: Start) -> None:
    pinged = threading.Event()

    def answer(body: dict[str, Any]) -> Answer:
        if body["method"] == "ping":
            pinged.set()
            return result(body, {})
        return result(body, {"pinged": pinged.wait(5)})

    written = run(start(answer), call(1, "store_context"), request(2, "ping"))
    assert {one["id"]: one["result"] for one in written} == {1: {"pinged": True}, 2: {}}


def test_the_headers_of_the_handshake_era(start: Start) -> None:
    upstream = start(lambda body: result(body, {"protocolVersion": "2025-06-18"}))
    run(
        upstream,
        request(1, "initialize", protocolVersion="2025-06-18", clientInfo={"name": "claude-code", "version": "1"}),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        call(2, "search_memories"),
        token="secret",
    )
    first, *others = upstream.seen
    assert "mcp-protocol-version" not in first.headers
    assert {one.headers["mcp-protocol-version"] for one in others} == {"2025-06-18"}
    called = next(one for one in others if "id" in one.body)
    assert called.headers["mcp-method"] == "tools/call"
    assert called.headers["mcp-name"] == "search_memories"
    assert called.headers["authorization"] == "Bearer secret"
    assert called.headers["accept"] == "application/json, text/event-stream"
    assert called.headers["x-tallystick-agent"] == "claude-code"


def test_the_headers_of_the_stateless_era(start: Start) -> None:
    upstream = start(lambda body: result(body, {}))
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "cursor\r\nX-Evil: 1", "version": "1"},
    }
    run(upstream, request(1, "tools/call", name="完成", arguments={}, _meta=meta))
    headers = upstream.seen[0].headers
    assert headers["mcp-protocol-version"] == "2026-07-28"
    assert headers["mcp-name"] == "=?base64?5a6M5oiQ?="
    assert headers["x-tallystick-agent"] == "cursorX-Evil: 1"
    assert "x-evil" not in headers


def test_a_name_given_is_not_overruled(start: Start) -> None:
    upstream = start(lambda body: result(body, {}))
    run(upstream, request(1, "initialize", clientInfo={"name": "claude-code"}), named=True)
    assert "x-tallystick-agent" not in upstream.seen[0].headers


@pytest.mark.parametrize(
    ("called", "name"),
    [
        (" claude-code ", "claude-code"),
        ("名前", "名前"),
        ("é/\n\x85\ud800b", "éb"),
        ("x" * 127 + " y", "x" * 127),
        ("名" * 200, "名" * 128),
        ("UTF-8''%41", "UTF-8''%41"),
        ("100%", "100%"),
    ],
)
def test_a_name_arrives_as_one_the_contract_allows(called: str, name: str) -> None:
    value = identity(AGENT_HEADER, called)[AGENT_HEADER]
    assert value.isascii()
    assert value.isprintable()
    assert told(value) == name


@pytest.mark.parametrize("blank", ["", "   ", "\u3000", "/ /", "\x00"])
def test_a_blank_name_is_none(start: Start, blank: str) -> None:
    upstream = start(lambda body: result(body, {}))
    run(upstream, request(1, "initialize", clientInfo={"name": blank}))
    assert "x-tallystick-agent" not in upstream.seen[0].headers


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("Invalid header value b'Bearer tsk_secret'"), "ValueError"),
        (OwnerMissing("Look into the log."), "Look into the log."),
        (HomeInvalid("Make it writable."), "Make it writable."),
    ],
)
def test_only_texts_of_our_own_are_told(error: Exception, words: str) -> None:
    def find(failed: Target | None) -> Target:
        raise error

    output = io.BytesIO()
    line = json.dumps(request(1, "ping")).encode()
    assert Bridge(Forwarder(find, {}), output, named=True).run(io.BytesIO(line))
    assert words in json.loads(output.getvalue())["error"]["message"]
    assert b"secret" not in output.getvalue()


def test_an_answer_as_server_sent_events(start: Start) -> None:
    events = (
        b'event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\r\n\r\n'
        b': comment\r\n\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":1,"result":{"ok":true}}\r\n\r\n'
    )
    written = run(start(lambda body: (200, "text/event-stream", events)), request(1, "tools/list"))
    assert [one.get("method") for one in written] == ["notifications/progress", None]
    assert written[1]["result"] == {"ok": True}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((401, "application/json", b'{"error":{"code":"UNAUTHENTICATED"}}'), "TALLYSTICK_API_KEY"),
        (
            (413, "application/json", b'{"error":{"message":"Too large.","next_action":"Split it."}}'),
            "Too large. Split it.",
        ),
        ((500, "text/plain", b"Internal Server Error"), "its log says why"),
        ((404, "text/html", b"<html>"), "Is this the address of a Tallystick server?"),
        ((400, "application/json", b'{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"Old."}}'), "Old."),
        ((200, "application/json", b"not json"), "no JSON-RPC"),
    ],
    ids=["401", "413", "500", "404", "400", "200"],
)
def test_a_refusal_carries_the_id_and_says_what_to_do(start: Start, answer: Answer, words: str) -> None:
    (written,) = run(start(lambda body: answer), request(41, "tools/list"))
    assert written["id"] == 41
    assert written["jsonrpc"] == "2.0"
    assert words in written["error"]["message"]


def test_a_stream_that_ends_before_its_answer_is_a_broken_connection(start: Start) -> None:
    begun = b'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n'
    upstream = start(lambda body: (200, "text/event-stream", begun) if len(upstream.seen) < 3 else result(body, {}))
    (written,) = run(upstream, call(1, "store_context", context="x"))
    assert written["result"] == {}
    assert len({one.body["params"]["arguments"]["operation_key"] for one in upstream.seen}) == 1
    lost = start(lambda body: (200, "text/event-stream", b""))
    (written,) = run(lost, call(1, "a_tool_of_tomorrow"))
    assert "It may or may not have been done" in written["error"]["message"]


def test_a_call_given_up_names_the_key_that_makes_it_one(start: Start) -> None:
    upstream = start(lambda body: (0, "", b""))
    (written,) = run(upstream, call(1, "store_context", context="x"))
    keys = {one.body["params"]["arguments"]["operation_key"] for one in upstream.seen}
    assert len(keys) == 1
    assert f'call again with operation_key "{keys.pop()}"' in written["error"]["message"]


def test_a_lost_call_is_repeated_where_that_is_safe(start: Start) -> None:
    broken: list[Any] = []

    def answer(body: dict[str, Any]) -> Answer:
        if body["id"] not in broken:
            broken.append(body["id"])
            return 0, "", b""
        return result(body, {})

    upstream = start(answer)
    calls = (
        call(1, "search_memories"),
        call(2, "store_context", context="用户"),
        call(3, "store_context", operation_key="mine"),
        call(4, "a_tool_of_tomorrow"),
    )
    written = {one["id"]: one for one in run(upstream, *calls)}
    assert [written[number]["result"] for number in (1, 2, 3)] == [{}, {}, {}]
    assert "It may or may not have been done" in written[4]["error"]["message"]
    sent = {number: [one.body["params"] for one in upstream.seen if one.body["id"] == number] for number in range(1, 5)}
    assert [len(sent[number]) for number in range(1, 5)] == [2, 2, 2, 1]
    first, again = (one["arguments"] for one in sent[2])
    assert first == again  # the key that the bridge gave it makes it one write
    assert first == {"context": "用户", "operation_key": first["operation_key"]}
    assert [one["arguments"] for one in sent[3]] == [{"operation_key": "mine"}] * 2
    assert sent[4] == [{"name": "a_tool_of_tomorrow", "arguments": {}}]


@pytest.mark.parametrize(("dying", "sent"), [(0, 1), (4, 5), (9, 5)])
def test_servers_that_die_one_after_the_other(
    start: Start, monkeypatch: pytest.MonkeyPatch, dying: int, sent: int
) -> None:
    monkeypatch.setattr(forward, "REPEATED_FOR", 0.0)  # as if each new one had taken longer than that to come up
    servers = [start(lambda body: (0, "", b"")) for _ in range(dying)] + [start(lambda body: result(body, {}))]
    coming = iter(servers)
    output = io.BytesIO()
    line = json.dumps(call(1, "store_context")).encode()
    bridge = Bridge(Forwarder(lambda failed: Target(next(coming).url, "t"), {}), output, named=True)
    assert bridge.run(io.BytesIO(line))
    answer = json.loads(output.getvalue())
    assert ("result" in answer) == (dying < 5), answer
    keys = [one.body["params"]["arguments"]["operation_key"] for server in servers for one in server.seen]
    assert len(keys) == sent
    assert len(set(keys)) == 1


def test_a_key_of_null_is_none(start: Start) -> None:
    upstream = start(lambda body: result(body, {}) if len(upstream.seen) > 1 else (0, "", b""))
    (written,) = run(upstream, call(1, "store_context", context="x", operation_key=None))
    assert "result" in written
    first, again = (one.body["params"]["arguments"]["operation_key"] for one in upstream.seen)
    assert first == again is not None


def test_each_write_has_a_key_of_its_own(start: Start) -> None:
    upstream = start(lambda body: result(body, {}))
    run(upstream, *(call(number, "update_user_facts", facts_patch={}) for number in range(20)))
    assert len({one.body["params"]["arguments"]["operation_key"] for one in upstream.seen}) == 20


def test_no_server_is_an_error_with_the_id(start: Start) -> None:
    upstream = start(lambda body: result(body, {}))
    upstream.close()
    (written,) = run(upstream, request(1, "initialize"))
    assert written["id"] == 1
    assert "cannot be reached" in written["error"]["message"]


def test_notifications_and_answers_of_the_client_get_no_line(start: Start) -> None:
    upstream = start(lambda body: (202, "application/json", b""))
    written = run(
        upstream,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 9, "result": {}},
    )
    assert written == []
    assert [one.body["method"] for one in upstream.seen] == ["notifications/initialized"]


def test_a_hundred_at_once_each_get_their_answer(start: Start) -> None:
    upstream = start(lambda body: result(body, {"n": body["id"]}))
    written = run(upstream, *(call(n, "store_context" if n % 10 == 0 else "search_memories") for n in range(100)))
    assert {one["id"]: one["result"]["n"] for one in written} == {n: n for n in range(100)}
