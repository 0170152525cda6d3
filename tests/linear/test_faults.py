"""What is planted happens, once, and the record tells whether the request was carried out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.linear import faults
from tests.linear.asking import ask, data, refusal
from tests.linear.contract import text
from tests.linear.data import BUG_LABEL, KEYS
from tests.linear.server import LinearServer

COMMENT = {"issueId": "NC-97", "body": "Seen again."}


def comments(linear: LinearServer) -> int:
    return sum(comment.issue.identifier == "NC-97" for comment in linear.workspaces["AV"].comments.values())


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (faults.RATE_LIMITED, 400),
        (faults.too_many(7), 429),
        (faults.INTERNAL, 500),
        (faults.unavailable(), 503),
        (faults.BROKEN_JSON, 200),
        (faults.redirected("http://127.0.0.1:9/elsewhere"), 307),
    ],
    ids=lambda value: value.name if isinstance(value, faults.Fault) else None,
)
def test_a_spoilt_answer_comes_once_and_nothing_was_done(
    linear: LinearServer, fault: faults.Fault, status: int
) -> None:
    linear.plant(fault, operation="CreateLinearComment")
    assert ask(linear, "Viewer").status_code == 200, "planted for another operation"
    answer = ask(linear, "CreateLinearComment", input=COMMENT)
    assert answer.status_code == status
    assert "X-RateLimit-Requests-Reset" in answer.headers
    assert comments(linear) == 0
    assert data(linear, "CreateLinearComment", input=COMMENT)["success"]
    assert [(request.fault, request.applied) for request in linear.writes] == [(fault.name, False), (None, True)]


def test_what_the_spoilt_answers_hold(linear: LinearServer) -> None:
    linear.plant(faults.RATE_LIMITED)
    assert refusal(ask(linear, "Viewer"))["extensions"]["code"] == "RATELIMITED"
    linear.plant(faults.too_many(7))
    assert ask(linear, "Viewer").headers["Retry-After"] == "7"
    linear.plant(faults.BROKEN_JSON)
    with pytest.raises(ValueError, match="Expecting value"):
        ask(linear, "Viewer").json()
    linear.plant(faults.redirected("http://127.0.0.1:9/elsewhere"))
    assert ask(linear, "Viewer").headers["Location"] == "http://127.0.0.1:9/elsewhere"


@pytest.mark.parametrize(
    ("fault", "raised", "done"),
    [
        (faults.DROPPED_BEFORE, httpx.RemoteProtocolError, 0),
        (faults.DROPPED_AFTER, httpx.RemoteProtocolError, 1),
        (faults.TRUNCATED, httpx.RemoteProtocolError, 1),
        (faults.hangs(30), httpx.ReadTimeout, 0),
        (faults.hangs(30, applied=True), httpx.ReadTimeout, 1),
    ],
    ids=lambda value: value.name if isinstance(value, faults.Fault) else None,
)
def test_a_lost_answer_tells_nothing_of_the_write(
    linear: LinearServer, fault: faults.Fault, raised: type[Exception], done: int
) -> None:
    linear.plant(fault)
    body = {"query": text("CreateLinearComment"), "variables": {"input": COMMENT}}
    with pytest.raises(raised):
        httpx.post(linear.url, json=body, headers={"Authorization": KEYS["AV"]}, timeout=0.5)
    assert comments(linear) == done
    assert [request.applied for request in linear.sent("CreateLinearComment")] == [bool(done)]


def test_a_trickling_answer_outlasts_the_timeout_of_a_read(linear: LinearServer) -> None:
    linear.plant(faults.trickles(0.2))
    headers = {"Authorization": KEYS["AV"]}
    with httpx.stream("POST", linear.url, json={"query": text("Viewer")}, headers=headers, timeout=5) as answer:
        pieces = answer.iter_raw()
        assert [next(pieces) for _ in range(3)] == [b"{", b'"', b"d"]


def test_forgotten_labels_are_a_success(linear: LinearServer) -> None:
    linear.plant(faults.LABELS_FORGOTTEN)
    wanted = {"title": "New title", "labelIds": [BUG_LABEL]}
    answer = data(linear, "UpdateLinearIssue", id="NC-97", input=wanted)
    assert (answer["success"], answer["issue"]["title"]) == (True, "New title")
    assert len(answer["issue"]["labelIds"]) == 2
    assert linear.received[-1].variables["input"] == wanted, "the record holds what was sent"


def test_the_record_holds_no_key(linear: LinearServer) -> None:
    ask(linear, "Viewer")
    ask(linear, "GetLinearIssue", "JL", id="NC-103")
    assert [(request.workspace, request.operation) for request in linear.received] == [
        ("AV", "Viewer"), ("JL", "GetLinearIssue"),
    ]  # fmt: skip
    assert not any(key in repr(linear.received) for key in KEYS.values())


def test_the_command_runs_one() -> None:
    """What it prints is enough to use it."""
    command = [sys.executable, "-m", "tests.linear", "--port", "0"]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True, env={**os.environ}) as process:
        try:
            assert process.stdout is not None
            printed = "".join(next(process.stdout) for _ in range(7))
            url = re.search(r"TALLYSTICK_LINEAR_URL=(\S+)", printed)
            keys = re.findall(r"echo (\S+) \| tallystick linear connect (\S+)", printed)
            assert url is not None
            for key, label in keys:
                answer = httpx.post(url[1], json={"query": text("Viewer")}, headers={"Authorization": key})
                assert (
                    answer.json()["data"]["organization"]["name"] == {"AV": "Averill Labs", "JL": "Juniper Lane"}[label]
                )
            assert len(keys) == 2
        finally:
            process.terminate()
