"""The gateway against a Linear that fails in every way it was seen to: no write is sent twice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tallystick.linear import Connection, Gateway, LinearFailure, Refused, Throttled, Unknown, Unreachable, Workspace
from tallystick_contract.documents import load_linear

from tests.linear import faults
from tests.linear.data import BUG_LABEL, KEYS
from tests.linear.server import LinearServer

pytestmark = pytest.mark.anyio
AV = KEYS["AV"]
COMMENT: dict[str, Any] = {"input": {"issueId": "NC-97", "body": "Seen again."}}


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tallystick.linear.gateway.FIRST_PAUSE", 0.01)


@pytest.fixture
async def gateway(linear: LinearServer) -> AsyncIterator[Gateway]:
    made = Gateway(load_linear(), linear.url, seconds=2)
    yield made
    await made.close()


def connected(gateway: Gateway, key: str = AV) -> Connection:
    return gateway.connection(Workspace("AV", "", key))


async def failed(call: Any) -> LinearFailure:
    with pytest.raises(LinearFailure) as raised:
        await call
    assert AV[:16] not in str(raised.value)
    assert AV[:12] not in repr(raised.value.__cause__)
    return raised.value


async def test_lists_are_read_to_their_end(gateway: Gateway, linear: LinearServer) -> None:
    labels, more = await connected(gateway).every("ListLinearLabels", "issueLabels")
    assert len(labels) == len({label["id"] for label in labels}) == len(linear.workspaces["AV"].labels) > 250
    assert not more
    assert [request.variables.get("after") is None for request in linear.sent("ListLinearLabels")] == [True, False]


async def test_a_page_that_does_not_go_on_ends_with_an_error(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    page = {"issueLabels": {"nodes": [], "pageInfo": {"hasNextPage": True, "endCursor": None}}}

    async def request(*_: object, **__: object) -> dict[str, Any]:
        return page

    monkeypatch.setattr(gateway, "request", request)
    with pytest.raises(LinearFailure, match="not where it goes on"):
        await connected(gateway).every("ListLinearLabels", "issueLabels")


@pytest.mark.parametrize(
    "fault",
    [faults.INTERNAL, faults.unavailable(), faults.BROKEN_JSON, faults.TRUNCATED, faults.DROPPED_BEFORE, faults.too_many(1)],
    ids=lambda fault: fault.name,
)  # fmt: skip
async def test_a_read_is_sent_again(linear: LinearServer, fault: faults.Fault) -> None:
    gateway = Gateway(load_linear(), linear.url, seconds=10)
    linear.plant(fault, times=2)
    assert (await connected(gateway).ask("Viewer"))["organization"]["name"]
    assert len(linear.received) == 3
    await gateway.close()


@pytest.mark.parametrize(
    ("fault", "kind", "done"),
    [
        (faults.INTERNAL, Unknown, 0),
        (faults.unavailable(), Unknown, 0),
        (faults.BROKEN_JSON, Unknown, 0),
        (faults.TRUNCATED, Unknown, 1),
        (faults.DROPPED_AFTER, Unknown, 1),
        (faults.DROPPED_BEFORE, Unknown, 0),
        (faults.hangs(5), Unknown, 0),
        (faults.hangs(5, applied=True), Unknown, 1),
        (faults.trickles(0.1), Unknown, 1),
        (faults.redirected("http://127.0.0.1:9/elsewhere"), Refused, 0),
        (faults.RATE_LIMITED, Throttled, 0),
        (faults.too_many(3600), Throttled, 0),
    ],
    ids=lambda value: value.name if isinstance(value, faults.Fault) else None,
)
async def test_a_write_is_sent_once(
    gateway: Gateway, linear: LinearServer, fault: faults.Fault, kind: type[LinearFailure], done: int
) -> None:
    linear.plant(fault, times=3)
    error = await failed(connected(gateway).tell("CreateLinearComment", **COMMENT))
    assert type(error) is kind
    assert len(linear.writes) == 1
    assert sum(request.applied for request in linear.writes) == done
    if fault.name == "429":
        assert isinstance(error, Throttled)
        assert error.seconds == 3600


async def test_nobody_listens() -> None:
    gateway = Gateway(load_linear(), "http://127.0.0.1:9/graphql", seconds=2)
    for call in (connected(gateway).ask("Viewer"), connected(gateway).tell("CreateLinearComment", **COMMENT)):
        error = await failed(call)
        assert isinstance(error, Unreachable)
        assert "cannot be reached" in str(error)
    await gateway.close()


async def test_a_key_that_is_used_up_is_not_used_before_its_time(linear: LinearServer) -> None:
    """The header of the last request that is allowed says when the next one is."""
    linear.limit = 1
    linear._left["AV"] = 1
    gateway = Gateway(load_linear(), linear.url, seconds=2)
    assert (await connected(gateway).ask("Viewer"))["organization"]["name"]
    error = await failed(connected(gateway).ask("Viewer"))
    assert isinstance(error, Throttled)
    assert error.seconds > 60
    assert len(linear.received) == 1
    assert (await connected(gateway, KEYS["JL"]).ask("Viewer"))["organization"]["name"] == "Juniper Lane"
    await gateway.close()


async def test_what_linear_says_is_passed_on(gateway: Gateway) -> None:
    async def refused(call: Any) -> Refused:
        error = await failed(call)
        assert isinstance(error, Refused)
        return error

    missing = await refused(connected(gateway).ask("GetLinearIssue", id="NC-9999"))
    assert (missing.kind, str(missing)) == ("not_found", "Linear: Could not find referenced Issue.")
    change = {"labelIds": [BUG_LABEL, "nope"]}
    wrong = await refused(connected(gateway).tell("UpdateLinearIssue", id="NC-97", input=change))
    assert (wrong.kind, "IssueLabel" in str(wrong)) == ("not_found", True)
    assert (await refused(connected(gateway).tell("CreateLinearLabel", input={"name": ""}))).kind == "input"
    for key in ("lin_api_wrong", f"Bearer {AV}"):
        assert (await refused(connected(gateway, key).ask("Viewer"))).kind == "key"
    assert (await refused(connected(gateway).ask("GetLinearIssue", id=7))).kind == "input"


async def test_workspaces_are_apart(gateway: Gateway) -> None:
    names = {(await connected(gateway, key).ask("Viewer"))["organization"]["name"] for key in KEYS.values()}
    assert len(names) == len(KEYS)
