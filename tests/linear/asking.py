"""Ask a LinearServer directly, as a client without any care would."""

from __future__ import annotations

from typing import Any

import httpx

from tests.linear.contract import text
from tests.linear.server import LinearServer

Json = dict[str, Any]


def ask(linear: LinearServer, operation: str, label: str = "AV", **variables: Any) -> httpx.Response:
    """Send one operation of the contract with a workspace's key, once."""
    body = {"query": text(operation), "operationName": operation, "variables": variables}
    return httpx.post(linear.url, json=body, headers={"Authorization": linear.keys[label]}, timeout=5)


def data(linear: LinearServer, operation: str, label: str = "AV", **variables: Any) -> Any:
    """Return what one root field of an operation answers; an error fails the test."""
    answer = ask(linear, operation, label, **variables).json()
    assert "errors" not in answer, answer
    (value,) = answer["data"].values()
    return value


def refusal(answer: httpx.Response) -> Json:
    """Return the one error of an answer."""
    (error,) = answer.json()["errors"]
    found: Json = error
    return found
