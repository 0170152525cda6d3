"""Calls of the two tools over REST."""

from __future__ import annotations

from typing import Any

import httpx

QUERY, MUTATE = "/v1/integrations/linear/query", "/v1/integrations/linear/mutate"
Json = dict[str, Any]


def query(client: httpx.Client, action: str, workspace: str | None = "AV", **arguments: Any) -> Json:
    """What an action of integration_query answers; an error fails the test."""
    return _answer(client.post(QUERY, json=_body(action, workspace, arguments)))


def mutate(client: httpx.Client, action: str, workspace: str | None = "AV", key: str = "", **arguments: Any) -> Json:
    """What an action of integration_mutate answers; an error fails the test. `key` is an operation key."""
    headers = {"idempotency-key": key} if key else {}
    return _answer(client.post(MUTATE, json=_body(action, workspace, arguments), headers=headers))


def refused(
    client: httpx.Client, path: str, action: str, workspace: str | None = "AV", key: str = "", **arguments: Any
) -> Json:
    """The error of an action."""
    headers = {"idempotency-key": key} if key else {}
    answer = client.post(path, json=_body(action, workspace, arguments), headers=headers)
    assert answer.status_code >= 400, answer.text
    error: Json = answer.json()["error"]
    return error


def _body(action: str, workspace: str | None, arguments: Json) -> Json:
    return {"action": action, **({"workspace": workspace} if workspace else {}), **arguments}


def _answer(answer: httpx.Response) -> Json:
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    assert found["success"] is True
    return found
