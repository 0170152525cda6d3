"""A server of prepared answers, for the client's tests."""

from __future__ import annotations

import json
from typing import Any

import httpx
from tallystick_client import Tallystick

STORED = {
    "success": True,
    "memory_id": "mem_1",
    "revision": "0b6a4d1e88c94c02",
    "conversation_id": "nc-a-20260529",
    "timestamp": "2026-05-29T09:00:00Z",
}
NOTE: dict[str, Any] = {"summary": "s", "context": "c", "conversation_id": "nc-a-20260529"}


def failure(status: int, code: str, headers: dict[str, str] | None = None, **more: Any) -> httpx.Response:
    """An error in the form that every REST error has."""
    body = {"code": code, "message": f"{code} happened.", "next_action": "Do this.", "help": "get_help", **more}
    return httpx.Response(status, json={"error": body}, headers={"x-request-id": "req_1", **(headers or {})})


class Server:
    """Answers the requests in turn, the last answer again and again, and keeps what was sent."""

    def __init__(self, *answers: httpx.Response | Exception | dict[str, Any]) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.transport = httpx.MockTransport(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, dict):
            return httpx.Response(200, json=answer)
        return answer

    def client(self, **options: Any) -> Tallystick:
        return Tallystick("http://memory.test", "tally_key", transport=self.transport, **options)

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.requests]

    def sent(self, header: str) -> list[str | None]:
        return [request.headers.get(header) for request in self.requests]
