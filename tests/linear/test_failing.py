"""Both tools while Linear fails: no write is sent twice, no call outlasts its time, no key shows, and the rest goes on."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tallystick_contract.documents import load_tools

from tests.linear import faults
from tests.linear.data import BUG_LABEL, KEYS, NC_TEAM
from tests.linear.server import LinearServer
from tests.linear.tools import MUTATE, QUERY, mutate, query, refused
from tests.live import ERAS, Live, store

HANGS = 60.0  # seconds that Linear would hold a call, were it let
NEW: dict[str, Any] = {"title": "Sent once", "team_id": NC_TEAM}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server that waits two seconds for Linear, and is reached by people at an address of its own."""
    settings: dict[str, Any] = {"linear_timeout": 2, "linear_keys": KEYS, "public_url": "https://memory.example/"}
    with LinearServer() as linear, Live(tmp_path_factory.mktemp("home"), linear_url=linear.url, **settings) as live:
        live.linear = linear
        yield live


@pytest.fixture
def linear(server: Live) -> LinearServer:
    server.linear.renew()
    server.linear.received.clear()
    return server.linear


@pytest.fixture
def client(server: Live) -> Iterator[httpx.Client]:
    with server.rest() as made:
        yield made


def made(linear: LinearServer) -> int:
    return sum(issue.title == NEW["title"] for issue in linear.workspaces["AV"].issues.values())


LOST_BUT_DONE = [faults.TRUNCATED, faults.DROPPED_AFTER, faults.trickles(0.05), faults.hangs(HANGS, applied=True)]
LOST_AND_NOT_DONE = [
    faults.INTERNAL,
    faults.unavailable(),
    faults.BROKEN_JSON,
    faults.DROPPED_BEFORE,
    faults.hangs(HANGS),
]


@pytest.mark.parametrize("fault", LOST_BUT_DONE, ids=lambda fault: fault.name)
def test_a_create_whose_answer_was_lost_is_found_by_its_id(
    client: httpx.Client, linear: LinearServer, fault: faults.Fault
) -> None:
    linear.plant(fault, operation="CreateLinearIssue")
    answer = mutate(client, "create_linear_issue", key="once", **NEW)
    assert answer["data"]["issue"]["title"] == NEW["title"]
    again = mutate(client, "create_linear_issue", key="once", **NEW)
    assert (again["replayed"], again["data"]["issue"]["id"]) == (True, answer["data"]["issue"]["id"])
    assert (made(linear), len(linear.writes)) == (1, 1)


@pytest.mark.parametrize("fault", LOST_AND_NOT_DONE, ids=lambda fault: fault.name)
def test_what_nobody_knows_is_said_and_never_sent_again(
    server: Live, client: httpx.Client, linear: LinearServer, fault: faults.Fault
) -> None:
    linear.plant(fault, operation="CreateLinearIssue")
    error = refused(client, MUTATE, "create_linear_issue", key="once", **NEW)
    assert error["code"] == "INTEGRATION_ERROR"
    assert "not known" in error["message"]
    again = refused(client, MUTATE, "create_linear_issue", key="once", **NEW)
    assert "not sent again" in again["message"]
    assert len(linear.writes) == 1
    user = client.get("/v1/me").json()["user"]
    with server.rest(server.key(scopes=["admin"])) as admin:
        rows = admin.get("/v1/audit", params={"user": user}).json()["items"]
    assert [(row["operation"], row["outcome"]) for row in rows] == [("integration_mutate", "unknown")]


def test_an_update_whose_answer_was_lost(client: httpx.Client, linear: LinearServer) -> None:
    linear.plant(faults.DROPPED_AFTER, operation="UpdateLinearIssue")
    done = mutate(client, "save_linear_issue", issue_id="NC-97", title="Another title", priority=1)
    assert done["data"]["issue"]["title"] == "Another title"
    linear.plant(faults.DROPPED_BEFORE, operation="UpdateLinearIssue")
    error = refused(client, MUTATE, "save_linear_issue", issue_id="NC-97", title="A third one")
    assert "not known" in error["message"]
    assert len(linear.writes) == 2


@pytest.mark.parametrize("fault", [faults.RATE_LIMITED, faults.too_many(3600)], ids=lambda fault: fault.name)
def test_what_was_refused_may_be_sent_again_under_its_key(
    client: httpx.Client, linear: LinearServer, fault: faults.Fault
) -> None:
    linear.plant(fault, operation="CreateLinearIssue")
    error = refused(client, MUTATE, "create_linear_issue", key="once", **NEW)
    assert error["code"] == "RATE_LIMITED"
    assert error["retry_after_seconds"] >= 1
    assert mutate(client, "create_linear_issue", key="once", **NEW)["data"]["created"] is True
    assert made(linear) == 1


def test_a_label_that_was_not_applied_is_no_success(client: httpx.Client, linear: LinearServer) -> None:
    linear.plant(faults.LABELS_FORGOTTEN, operation="UpdateLinearIssue")
    change: dict[str, Any] = {"issue_id": "NC-97", "labels": [BUG_LABEL]}
    error = refused(client, MUTATE, "save_linear_issue", key="labels", **change)
    assert error["code"] == "INTEGRATION_ERROR"
    assert "did not apply" in error["message"]
    linear.plant(faults.LABELS_FORGOTTEN, operation="CreateLinearIssue")
    error = refused(client, MUTATE, "create_linear_issue", key="new", labels=[BUG_LABEL], **NEW)
    assert BUG_LABEL in error["message"]
    writes = len(linear.writes)
    assert BUG_LABEL in refused(client, MUTATE, "create_linear_issue", key="new", labels=[BUG_LABEL], **NEW)["message"]
    assert (len(linear.writes), made(linear)) == (writes, 1)


def test_a_key_of_another_call(client: httpx.Client, linear: LinearServer) -> None:
    mutate(client, "create_linear_issue", key="once", **NEW)
    assert refused(client, MUTATE, "create_linear_issue", key="once", **NEW, priority=1)["code"] == "CONFLICT"


def test_the_same_call_twice_at_once_is_sent_once(client: httpx.Client, linear: LinearServer) -> None:
    linear.plant(faults.hangs(1, applied=True), operation="CreateLinearIssue")
    body, headers = {"action": "create_linear_issue", "workspace": "AV", **NEW}, {"idempotency-key": "once"}
    answers: list[httpx.Response] = []
    threads = [
        threading.Thread(target=lambda: answers.append(client.post(MUTATE, json=body, headers=headers)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_code for answer in answers).count(200) >= 1
    assert {answer.status_code for answer in answers} <= {200, 409}
    assert (made(linear), len(linear.writes)) == (1, 1)


@pytest.mark.parametrize("fault", [faults.hangs(HANGS), faults.trickles(1)], ids=lambda fault: fault.name)
def test_no_read_outlasts_its_time(client: httpx.Client, linear: LinearServer, fault: faults.Fault) -> None:
    linear.plant(fault, times=1)
    error = refused(client, QUERY, "get_linear_teams")
    assert error["code"] == "INTEGRATION_ERROR"
    assert "in time" in error["message"] or "within" in error["message"]


def test_reads_and_writes_go_on_while_linear_is_slow(client: httpx.Client, linear: LinearServer) -> None:
    linear.plant(faults.hangs(HANGS), times=24)
    body = {"action": "get_linear_teams", "workspace": "AV"}
    threads = [threading.Thread(target=client.post, args=(QUERY,), kwargs={"json": body}) for _ in range(24)]
    for thread in threads:
        thread.start()
    while len(linear.received) < 24:
        threading.Event().wait(0.01)
    memory_id = store(client, "Stored while Linear is slow")
    assert client.post("/v1/memory-recall", json={"query": "while Linear"}).json()["items"][0]["id"] == memory_id
    assert any(thread.is_alive() for thread in threads)
    for thread in threads:
        thread.join()


def test_a_link_is_shown_in_linear_where_people_reach_this_server(client: httpx.Client, linear: LinearServer) -> None:
    memory_id = store(client, "The preflight lacks a header.", summary="CORS on localhost")
    arguments = {"memory_id": memory_id, "issue_id": "NC-103"}
    for _ in range(2):
        attachment = mutate(client, "link_memory_to_linear_issue", **arguments)["data"]["attachment"]
        assert attachment == {"attached": True, "url": f"https://memory.example/v1/memories/{memory_id}"}
    assert [row.url for row in linear.workspaces["AV"].attachments.values()] == [attachment["url"]]
    linear.plant(faults.INTERNAL, operation="AttachMemoryToLinearIssue")
    other = store(client, "Another.")
    data = mutate(client, "link_memory_to_linear_issue", memory_id=other, issue_id="NC-103")["data"]
    assert data["attachment"]["attached"] is False
    assert client.get(f"/v1/memories/{other}").json()["linear_issues"][0]["identifier"] == "NC-103"


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_the_form_of_failures_over_mcp_and_in_a_batch(server: Live, linear: LinearServer, era: str) -> None:
    linear.plant(faults.DROPPED_BEFORE, operation="CreateLinearIssue")
    call = {"action": "create_linear_issue", "workspace": "AV", **NEW}
    async with server.mcp(era) as client:
        failed = await client.call_tool("integration_mutate", {**call, "operation_key": "once"})
        assert failed.is_error
        assert failed.structured_content is not None
        assert failed.structured_content.keys() == {"error", "message", "code", "suggestion"}
        assert failed.structured_content["code"] == "INTEGRATION_ERROR"
        calls = [
            {"name": "integration_mutate", "arguments": {**call, "operation_key": "once"}},
            {
                "name": "integration_query",
                "arguments": {"action": "get_linear_issue", "workspace": "AV", "issue_id": "NC-103"},
            },
            {"name": "integration_mutate", "arguments": {**call, "labels": f'["{BUG_LABEL}"]'}},
        ]
        batch = await client.call_tool("memvault_batch", {"calls": calls})
    assert batch.structured_content is not None
    again, read, made_now = batch.structured_content["results"]
    assert "not sent again" in again["error"]["message"]
    assert read["result"]["data"]["issue"]["identifier"] == "NC-103"
    assert made_now["result"]["data"]["issue"]["labels"][0]["name"] == "Bug"
    assert (made(linear), len(linear.writes)) == (1, 2)


def test_a_key_that_linear_does_not_take(tmp_path_factory: pytest.TempPathFactory, linear: LinearServer) -> None:
    wrong = "lin_api_this_key_was_revoked_long_ago"
    with (
        Live(tmp_path_factory.mktemp("home"), linear_url=linear.url, linear_keys={"AV": wrong}) as live,
        live.rest() as one,
    ):
        error = refused(one, QUERY, "get_linear_teams", None)
        assert error["code"] == "INTEGRATION_ERROR"
        assert "tallystick linear connect AV" in error["next_action"]
        assert wrong[:16] not in str(error)


def test_one_workspace_needs_no_name_and_none_is_said(
    tmp_path_factory: pytest.TempPathFactory, linear: LinearServer
) -> None:
    with (
        Live(tmp_path_factory.mktemp("home"), linear_url=linear.url, linear_keys={"JL": KEYS["JL"]}) as live,
        live.rest() as one,
    ):
        for label in (None, "AV", "nonsense"):
            assert query(one, "get_linear_teams", label)["data"]["teams"][0]["name"] == "Northern Catalogue"
    with Live(tmp_path_factory.mktemp("home"), linear_url=linear.url) as live, live.rest() as one:
        assert refused(one, QUERY, "get_linear_teams")["code"] == "INTEGRATION_NOT_CONFIGURED"


def test_no_key_is_written_anywhere(
    server: Live, client: httpx.Client, linear: LinearServer, capfd: pytest.CaptureFixture[str]
) -> None:
    for fault in (*LOST_BUT_DONE[:2], *LOST_AND_NOT_DONE[:4], faults.RATE_LIMITED):
        linear.plant(fault, operation="GetLinearIssue")
        query_body = {"action": "get_linear_issue", "workspace": "AV", "issue_id": "NC-103"}
        assert "lin_api_" not in client.post(QUERY, json=query_body).text
        linear.plant(fault, operation="CreateLinearIssue")
        body = {"action": "create_linear_issue", "workspace": "AV", **NEW}
        assert "lin_api_" not in client.post(MUTATE, json=body).text
    told = capfd.readouterr()
    assert not any(key[8:20] in told.out + told.err for key in KEYS.values())
    for path in server.settings.home.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert not any(key[8:20].encode() in content for key in KEYS.values()), path


def test_a_write_that_a_kill_left_open_is_not_sent_again(
    server: Live, client: httpx.Client, linear: LinearServer
) -> None:
    """What the store holds after a kill between `sent` and the answer is made by hand: the note, and nobody who waits."""
    linear.plant(faults.DROPPED_BEFORE, operation="CreateLinearIssue")
    refused(client, MUTATE, "create_linear_issue", key="killed", **NEW)
    with sqlite3.connect(server.settings.home / "tallystick.db") as database:
        database.execute("UPDATE sent_writes SET state = 'sent', message = NULL WHERE key = 'killed'")
    error = refused(client, MUTATE, "create_linear_issue", key="killed", **NEW)
    assert "outcome is not known" in error["message"]
    assert "not sent again" in error["message"]
    assert len(linear.writes) == 1


def test_nothing_in_the_tools_destroys() -> None:
    """The other half of the proof that nothing can be deleted: the first reads the schema and the operations."""
    words = ("delete", "archive", "trash", "remove", "purge", "destroy", "erase")
    for tool in load_tools():
        if tool["name"].startswith("integration_"):
            schema = tool["inputSchema"]
            names = [*schema["properties"], *schema["properties"]["action"]["enum"]]
            names += schema["properties"].get("search_filters", {}).get("properties", {})
            assert names
            assert [name for name in names if any(word in name.lower() for word in words)] == []
