"""The gateway against a Linear that fails in every way it was seen to: nothing is sent twice that may have been done."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tallystick.linear import Gateway, LinearFailure
from tallystick.linear.failures import Kind
from tallystick_contract.documents import load_linear

from tests.linear import faults
from tests.linear.data import BUG_LABEL, KEYS
from tests.linear.server import LinearServer

pytestmark = pytest.mark.anyio
AV = KEYS["AV"]
COMMENT: dict[str, Any] = {"input": {"issueId": "NC-97", "body": "Seen again."}}


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tallystick.linear.gateway.PAUSES", (0.01, 0.01))


@pytest.fixture
async def gateway(linear: LinearServer) -> AsyncIterator[Gateway]:
    made = Gateway(load_linear(), linear.url, seconds=2)
    yield made
    await made.close()


async def failed(call: Any) -> LinearFailure:
    with pytest.raises(LinearFailure) as raised:
        await call
    assert AV not in str(raised.value)
    assert AV[:12] not in repr(raised.value.__cause__)
    return raised.value


async def test_reads_pages_to_the_end(gateway: Gateway, linear: LinearServer) -> None:
    labels = [one async for page in gateway.pages(AV, "ListLinearLabels", "issueLabels") for one in page]
    assert len(labels) == len({label["id"] for label in labels}) == len(linear.workspaces["AV"].labels) > 250
    assert [request.variables["after"] is None for request in linear.sent("ListLinearLabels")] == [True, False]


async def test_a_page_that_does_not_go_on_ends_with_an_error(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    page = {"issueLabels": {"nodes": [], "pageInfo": {"hasNextPage": True, "endCursor": None}}}

    async def read(*_: object, **__: object) -> dict[str, Any]:
        return page

    monkeypatch.setattr(gateway, "read", read)
    with pytest.raises(LinearFailure, match="not where it goes on"):
        [one async for one in gateway.pages(AV, "ListLinearLabels", "issueLabels")]


@pytest.mark.parametrize(
    "fault",
    [faults.INTERNAL, faults.unavailable(), faults.BROKEN_JSON, faults.TRUNCATED, faults.DROPPED_BEFORE, faults.too_many(0)],
    ids=lambda fault: fault.name,
)  # fmt: skip
async def test_a_read_is_sent_again(gateway: Gateway, linear: LinearServer, fault: faults.Fault) -> None:
    linear.plant(fault, times=2)
    assert (await gateway.read(AV, "Viewer"))["organization"]["name"]
    assert len(linear.received) == 3


@pytest.mark.parametrize(
    ("fault", "kind", "done"),
    [
        (faults.INTERNAL, "unknown", 0),
        (faults.unavailable(), "unknown", 0),
        (faults.BROKEN_JSON, "unknown", 0),
        (faults.TRUNCATED, "unknown", 1),
        (faults.DROPPED_AFTER, "unknown", 1),
        (faults.DROPPED_BEFORE, "unknown", 0),
        (faults.hangs(5), "unknown", 0),
        (faults.hangs(5, applied=True), "unknown", 1),
        (faults.trickles(0.1), "unknown", 1),
        (faults.redirected("http://127.0.0.1:9/elsewhere"), "unavailable", 0),
        (faults.RATE_LIMITED, "rate_limited", 0),
        (faults.too_many(3600), "rate_limited", 0),
    ],
    ids=lambda value: value.name if isinstance(value, faults.Fault) else None,
)
async def test_a_write_that_may_have_been_done_is_not_sent_again(
    gateway: Gateway, linear: LinearServer, fault: faults.Fault, kind: Kind, done: int
) -> None:
    linear.plant(fault, times=3)
    error = await failed(gateway.write(AV, "CreateLinearComment", **COMMENT))
    assert error.kind == kind
    assert len(linear.writes) == 1
    assert sum(request.applied for request in linear.writes) == done
    if kind == "unknown":
        assert "not known" in error.message or fault is faults.INTERNAL
    if kind == "rate_limited":
        assert error.retry_after is not None


async def test_a_write_that_was_surely_not_done_is_sent_again(gateway: Gateway, linear: LinearServer) -> None:
    linear.plant(faults.too_many(0), times=2)
    assert (await gateway.write(AV, "CreateLinearComment", **COMMENT))["commentCreate"]["success"]
    assert [request.applied for request in linear.writes] == [False, False, True]


async def test_nobody_listens() -> None:
    gateway = Gateway(load_linear(), "http://127.0.0.1:9/graphql", seconds=2)
    for call in (gateway.read(AV, "Viewer"), gateway.write(AV, "CreateLinearComment", **COMMENT)):
        error = await failed(call)
        assert error.kind == "unavailable"
        assert "cannot be reached" in error.message
    await gateway.close()


async def test_what_linear_says_is_passed_on(gateway: Gateway) -> None:
    missing = await failed(gateway.read(AV, "GetLinearIssue", id="NC-9999"))
    assert (missing.kind, missing.message) == ("not_found", "Could not find referenced Issue.")
    wrong = await failed(gateway.write(AV, "UpdateLinearIssue", id="NC-97", input={"labelIds": [BUG_LABEL, "nope"]}))
    assert (wrong.kind, "IssueLabel" in wrong.message) == ("not_found", True)
    empty = await failed(gateway.write(AV, "CreateLinearLabel", input={"name": ""}))
    assert empty.kind == "refused"
    for key, kind in (("lin_api_wrong", "unauthenticated"), (f"Bearer {AV}", "unauthenticated")):
        assert (await failed(gateway.read(key, "Viewer"))).kind == kind
    invalid = await failed(gateway.read(AV, "GetLinearIssue", id=7))
    assert invalid.kind == "refused"


async def test_workspaces_are_apart(gateway: Gateway) -> None:
    names = {(await gateway.read(key, "Viewer"))["organization"]["name"] for key in KEYS.values()}
    assert len(names) == len(KEYS)
