"""The campaign finds what is wrong: faults are planted between the client and a sound server, and each is reported."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.live import RUN_TOKEN, Live

from .caller import EVERYTHING, READING, Caller
from .campaign import Effort, attack
from .target import target

Fault = Callable[[ASGIApp, Scope, Receive, Send], Awaitable[None]]


class Switch:
    """Middleware that lets `fault` answer where one is set."""

    fault: Fault | None = None

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if Switch.fault is None or scope["type"] != "http":
            await self.app(scope, receive, send)
        else:
            await Switch.fault(self.app, scope, receive, send)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with target(tmp_path_factory.mktemp("faulty")) as live:
        live.app.add_middleware(Switch)
        with live:
            yield live


def changed(
    status: int | None = None, body: bytes | None = None, without: str | None = None, where: int = 200
) -> Fault:
    """Answers with `where` as their status get another status or body, or lose a header."""

    async def fault(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        hit = False

        async def sent(message: Message) -> None:
            nonlocal hit
            if message["type"] == "http.response.start":
                hit = message["status"] == where
                headers = MutableHeaders(scope=message)
                if hit:
                    message["status"] = status or where
                    if body is not None:
                        headers["content-length"] = str(len(body))
                    if without:
                        del headers[without]
            elif hit and body is not None:
                message["body"] = body
            await send(message)

        await app(scope, receive, sent)

    return fault


async def nobody_is_asked_for_a_key(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    MutableHeaders(scope=scope)["authorization"] = f"Bearer {RUN_TOKEN}"
    await app(scope, receive, send)


async def keys_are_ignored(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    del MutableHeaders(scope=scope)["idempotency-key"]
    await app(scope, receive, send)


async def every_key_may_write(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    if "authorization" in Headers(scope=scope):
        MutableHeaders(scope=scope)["authorization"] = f"Bearer {RUN_TOKEN}"
    await app(scope, receive, send)


async def nothing_is_erased(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["method"] != "DELETE":
        return await app(scope, receive, send)
    body = json.dumps({"success": True, "memory_id": scope["path"].rpartition("/")[2]}).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": body})


@dataclass(frozen=True)
class Planted:
    """A fault, the operation it is looked for at, and what reports it."""

    fault: Fault
    operation: str
    reported: str
    scopes: frozenset[str] = EVERYTHING


PLANTED: dict[str, Planted] = {
    "a status that is not documented": Planted(changed(status=202), "whoami", "status_code_conformance"),
    "an answer of another form": Planted(changed(body=b"{}"), "whoami", "response_schema_conformance"),
    "an error of another form": Planted(
        changed(body=b'{"detail":"no"}', where=422), "recall_memory", "response_schema_conformance"
    ),
    "no request id": Planted(changed(without="x-request-id"), "whoami", "response_headers_conformance"),
    "an internal error": Planted(changed(status=500), "list_personas", "not_a_server_error"),
    "wrong input taken": Planted(changed(status=200, where=422), "recall_memory", "negative_data_rejection"),
    "right input refused": Planted(changed(status=422), "recall_memory", "positive_data_acceptance"),
    "no key asked for": Planted(nobody_is_asked_for_a_key, "get_user_facts", "ignored_auth"),
    "no scope asked for": Planted(every_key_may_write, "update_user_facts", "ScopesDecide", READING),
    "operation keys ignored": Planted(keys_are_ignored, "store_context", "same_key_once"),
    "nothing erased": Planted(nothing_is_erased, "store_context", "walk"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_it_is_reported(faulty: Live, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = PLANTED[name]
    caller = Caller(faulty, "planted", planted.scopes)
    monkeypatch.setattr(caller, "provide", lambda live: None)  # through the fault it could not
    monkeypatch.setattr(Switch, "fault", staticmethod(planted.fault))
    effort = Effort(examples=2, scenarios=0, walks=2 if planted.reported == "walk" else 0)
    tally = attack(faulty, caller, effort, tmp_path, only=planted.operation)
    reported = [title for found in tally.failures.values() for title in found]
    assert any(title.startswith(planted.reported) for title in reported), tally.report() or "nothing was found"
