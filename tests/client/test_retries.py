"""Retries: what is repeated, after which pause, and that a repeated write stays one write."""

import uuid
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest
from tallystick_client import ConnectionFailed, errors

from tests.client.wire import NOTE, STORED, Server, failure

EMPTY: dict[str, Any] = {"items": []}
BUSY = failure(503, "STORE_BUSY")
LOST = httpx.ConnectError("refused")


@pytest.mark.parametrize("trouble", [BUSY, failure(429, "RATE_LIMITED"), LOST, httpx.ReadTimeout("slow")])
def test_reads_are_repeated_after_growing_pauses(trouble, pauses):
    server = Server(trouble, trouble, EMPTY)
    assert server.client().memories.list_memories().items == []
    assert len(server.requests) == 3
    assert 0.375 <= pauses[0] <= 0.5
    assert 0.75 <= pauses[1] <= 1.0
    assert server.sent("idempotency-key") == [None, None, None]


def test_pauses_have_an_end(pauses):
    with pytest.raises(errors.StoreBusy):
        Server(BUSY).client(retries=8).memories.list_memories()
    assert len(pauses) == 8
    assert max(pauses) <= 8


def test_a_write_has_one_key_over_all_attempts(pauses):
    server = Server(BUSY, LOST, httpx.Response(201, json=STORED))
    server.client().memories.store_context(**NOTE)
    keys = server.sent("idempotency-key")
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert uuid.UUID(keys[0])
    assert len({request.content for request in server.requests}) == 1


def test_each_write_has_a_key_of_its_own(pauses):
    server = Server(httpx.Response(201, json=STORED))
    client = server.client()
    client.memories.store_context(**NOTE)
    client.memories.store_context(**NOTE)
    assert len(set(server.sent("idempotency-key"))) == 2


def test_the_callers_key_is_used(pauses):
    server = Server(BUSY, httpx.Response(201, json=STORED))
    server.client().memories.store_context(**NOTE, idempotency_key="mine")
    assert server.sent("idempotency-key") == ["mine", "mine"]


def test_without_retries_nothing_is_added_or_repeated(pauses):
    server = Server(BUSY)
    with pytest.raises(errors.StoreBusy):
        server.client(retries=0).memories.store_context(**NOTE)
    assert server.sent("idempotency-key") == [None]
    assert pauses == []


@pytest.mark.parametrize(
    ("status", "code"),
    [(400, "BUDGET_TOO_SMALL"), (404, "NOT_FOUND"), (409, "CONFLICT"), (500, "INTERNAL_ERROR"), (502, "X")],
)
def test_other_errors_are_raised_at_once(status, code, pauses):
    server = Server(failure(status, code))
    with pytest.raises(errors.ApiError):
        server.client().memories.list_memories()
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answer", [failure(429, "RATE_LIMITED", {"retry-after": "7"}), failure(503, "STORE_BUSY", retry_after_seconds=7)]
)
def test_the_server_says_how_long_to_wait(answer, pauses):
    Server(answer, EMPTY).client().memories.list_memories()
    assert pauses == [7.0]


def test_retry_after_may_be_a_date(pauses):
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    Server(failure(503, "STORE_BUSY", {"retry-after": date}), EMPTY).client().memories.list_memories()
    assert 15 < pauses[0] <= 20


def test_a_retry_after_that_is_neither_is_not_believed(pauses):
    Server(failure(503, "STORE_BUSY", {"retry-after": "soon"}), EMPTY).client().memories.list_memories()
    assert pauses[0] <= 0.5


def test_a_server_that_wants_an_hour_is_not_waited_for(pauses):
    with pytest.raises(errors.RateLimited) as caught:
        Server(failure(429, "RATE_LIMITED", {"retry-after": "3600"})).client().memories.list_memories()
    assert caught.value.retry_after_seconds == 3600
    assert pauses == []


def test_no_answer_at_all(pauses):
    server = Server(LOST)
    with pytest.raises(ConnectionFailed, match=r"GET /v1/memories: refused") as caught:
        server.client().memories.list_memories()
    assert len(server.requests) == 3
    assert caught.value.__cause__ is LOST


def test_a_wrong_address_is_not_tried_twice(pauses):
    server = Server(httpx.UnsupportedProtocol("ftp"))
    with pytest.raises(httpx.UnsupportedProtocol):
        server.client().memories.list_memories()
    assert len(server.requests) == 1


def test_other_options_over_the_same_connections(pauses):
    server = Server(BUSY, BUSY, EMPTY)
    client = server.client(headers={"x-a": "1"})
    other = client.with_options(retries=0, headers={"x-b": "2"}, timeout=3)
    with pytest.raises(errors.StoreBusy):
        other.memories.list_memories()
    assert server.requests[0].extensions["timeout"]["read"] == 3
    assert (server.sent("x-a"), server.sent("x-b")) == (["1"], ["2"])
    client.memories.list_memories()
    assert server.sent("x-b") == ["2", None, None]
