"""The tests' Linear answers as Linear does."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.linear.asking import ask, data, refusal
from tests.linear.contract import DOCUMENTS, text
from tests.linear.data import BUG_LABEL, NC_DONE, NC_TEAM
from tests.linear.rows import made_id
from tests.linear.server import LinearServer

LAUNCH = made_id("averill", "project", "Launch")
COMMENT = made_id("averill", "comment", 103, 1)
URL = "https://memory.example/v1/memories/mem_abc123"
FILTER = {
    "team": {"id": {"eq": NC_TEAM}},
    "state": {"type": {"in": ["started", "unstarted"]}},
    "labels": {"some": {"name": {"eq": "launch-critical"}}},
}

VARIABLES: dict[str, dict[str, Any]] = {
    "AttachMemoryToLinearIssue": {"input": {"issueId": "NC-103", "title": "CORS, solved before", "url": URL}},
    "ContextScopeProject": {"id": LAUNCH},
    "ContextScopeTeam": {"id": NC_TEAM},
    "CreateLinearComment": {"input": {"issueId": "NC-103", "body": "Seen again."}},
    "CreateLinearIssue": {"input": {"title": "CORS", "teamId": NC_TEAM, "priority": 2, "labelIds": [BUG_LABEL]}},
    "CreateLinearLabel": {"input": {"name": "new"}},
    "CreateLinearProject": {"input": {"name": "New", "teamIds": [NC_TEAM]}},
    "FindRelatedIssues": {"term": "cors localhost"},
    "GetLinearComment": {"id": COMMENT},
    "GetLinearIssue": {"id": "nc-103"},
    "GetLinearLabel": {"id": BUG_LABEL},
    "GetLinearProject": {"id": LAUNCH},
    "GetLinearProjectDetail": {"id": LAUNCH},
    "GetLinearTeamDetail": {"id": NC_TEAM},
    "LinearIssuesForUrl": {"url": URL},
    "ListLinearComments": {"id": "NC-103"},
    "ListLinearProjectLabels": {"id": LAUNCH},
    "ListLinearStatuses": {"teamId": NC_TEAM},
    "ProjectIssueIds": {"id": LAUNCH},
    "ResolveIssue": {"id": "NC-103"},
    "SearchLinearIssues": {"filter": FILTER, "withDescription": True},
    "TeamLabels": {"id": NC_TEAM},
    "TeamMembers": {"id": NC_TEAM},
    "UpdateLinearIssue": {"id": "NC-103", "input": {"stateId": NC_DONE}},
    "UpdateLinearLabel": {"id": BUG_LABEL, "input": {"name": "bug"}},
}


@pytest.mark.parametrize("operation", DOCUMENTS)
def test_every_operation_is_answered(linear: LinearServer, operation: str) -> None:
    """With the defaults of the document, so with its largest page."""
    answer = ask(linear, operation, **VARIABLES.get(operation, {}))
    assert answer.status_code == 200
    assert set(answer.json()) == {"data"}
    assert 0 < int(answer.headers["X-Complexity"]) < 10_000


def test_what_is_not_there_is_an_error_at_200(linear: LinearServer) -> None:
    answer = ask(linear, "GetLinearIssue", id="NC-9999")
    assert answer.status_code == 200
    assert answer.json()["data"] is None
    error = refusal(answer)
    assert (error["message"], error["path"]) == ("Entity not found: Issue", ["issue"])
    assert (error["extensions"]["type"], error["extensions"]["code"]) == ("invalid input", "INPUT_ERROR")


@pytest.mark.parametrize("authorization", ["", "lin_api_of_nobody", "Bearer an-oauth-token"])
def test_an_unknown_key_is_401(linear: LinearServer, authorization: str) -> None:
    answer = httpx.post(linear.url, json={"query": text("Viewer")}, headers={"Authorization": authorization})
    assert answer.status_code == 401
    assert "data" not in answer.json()
    assert refusal(answer)["extensions"]["code"] == "AUTHENTICATION_ERROR"


def test_a_key_sent_as_bearer_is_400(linear: LinearServer) -> None:
    headers = {"Authorization": f"Bearer {linear.keys['AV']}"}
    answer = httpx.post(linear.url, json={"query": text("Viewer")}, headers=headers)
    assert answer.status_code == 400
    assert "Remove the Bearer prefix" in refusal(answer)["message"]


@pytest.mark.parametrize(
    ("operation", "variables", "named"),
    [
        ("UpdateLinearIssue", {"id": "NC-103", "input": {"titel": "x"}}, "titel"),
        ("UpdateLinearIssue", {"id": "NC-103", "input": {"priority": "2"}}, "priority"),
        ("SearchLinearIssues", {"filter": {"assignee": {}}, "withDescription": False}, "assignee"),
        ("GetLinearIssue", {}, "$id"),
        ("GetLinearIssue", {"id": "NC-103", "identifier": "NC-103"}, "identifier"),
    ],
)
def test_wrong_variables_are_400(linear: LinearServer, operation: str, variables: dict[str, Any], named: str) -> None:
    answer = ask(linear, operation, **variables)
    assert answer.status_code == 400
    assert named in refusal(answer)["message"]
    assert not linear.received[-1].applied


def test_a_wrong_document_is_400(linear: LinearServer) -> None:
    headers = {"Authorization": linear.keys["AV"]}
    for query, code in (("{ issue(", "GRAPHQL_PARSE_FAILED"), ("{ viewer { nothing } }", "GRAPHQL_VALIDATION_FAILED")):
        answer = httpx.post(linear.url, json={"query": query}, headers=headers)
        assert answer.status_code == 400
        assert refusal(answer)["extensions"]["code"] == code


def test_a_document_over_the_limit_is_400(linear: LinearServer) -> None:
    answer = ask(linear, "SearchLinearIssues", filter={}, first=200, withDescription=False)
    assert answer.status_code == 400
    assert refusal(answer)["extensions"]["userPresentableMessage"].startswith(
        "The query is too complex. Complexity: 17"
    )


def test_requests_are_counted_by_workspace_and_run_out() -> None:
    with LinearServer(requests_an_hour=1) as linear:
        before = ask(linear, "Viewer")
        refused = ask(linear, "Viewer")
        assert before.headers["X-RateLimit-Requests-Remaining"] == "0"
        assert int(before.headers["X-RateLimit-Requests-Reset"]) > time.time() * 1000, "milliseconds"
        assert refused.status_code == 400
        assert refusal(refused)["extensions"]["code"] == "RATELIMITED"
        assert ask(linear, "Viewer", "JL").status_code == 200


def test_workspaces_do_not_see_each_other(linear: LinearServer) -> None:
    averill, juniper = (data(linear, "GetLinearIssue", label, id="NC-103") for label in ("AV", "JL"))
    assert averill["title"] == "CORS error from localhost"
    assert juniper["title"] == "Print catalogue has the wrong cover"
    assert ask(linear, "GetLinearIssue", "JL", id=averill["id"]).json()["data"] is None


def test_a_filter_means_all_of_its_keys(linear: LinearServer) -> None:
    def numbers(**where: Any) -> list[str]:
        found = data(linear, "SearchLinearIssues", filter=where, withDescription=False)
        return [issue["identifier"] for issue in found["nodes"]]

    assert numbers(**FILTER) == ["NC-97", "NC-94", "NC-90"]
    assert numbers(title={"containsIgnoreCase": "cors ERROR"}) == ["NC-103"]
    assert numbers(title={"containsIgnoreCase": "FIN."}) == [], "titles only"
    assert numbers(labels={"some": {"name": {"eq": "Launch-Critical"}}}) == []
    assert set(numbers(project={"id": {"eq": LAUNCH}})) == {"NC-90", "NC-94", "NC-101", "NC-103", "JUN-94"}
    open_ones = {"type": {"nin": ["completed", "canceled", "duplicate"]}}
    assert "NC-101" not in numbers(project={"id": {"eq": LAUNCH}}, state=open_ones)
    assert numbers(**{"or": [{"id": {"in": []}}, {"number": {"eq": 95}, "team": {"key": {"eq": "JUN"}}}]}) == ["JUN-95"]


def test_pages_give_every_label_once(linear: LinearServer) -> None:
    pages, after = [], None
    while True:
        found = data(linear, "ListLinearLabels", after=after)
        pages.append([label["id"] for label in found["nodes"]])
        if not found["pageInfo"]["hasNextPage"]:
            break
        after = found["pageInfo"]["endCursor"]
    ids = [id for page in pages for id in page]
    assert [len(page) for page in pages] == [250, len(linear.workspaces["AV"].labels) - 250]
    assert ids == list(linear.workspaces["AV"].labels)


@pytest.mark.parametrize("paging", [{"first": 251}, {"first": 0}, {"after": BUG_LABEL + "x"}])
def test_a_wrong_page_is_refused(linear: LinearServer, paging: dict[str, Any]) -> None:
    assert refusal(ask(linear, "ListLinearLabels", **paging))["message"] == "Argument Validation Error"


def test_comments_come_newest_first(linear: LinearServer) -> None:
    found = data(linear, "ListLinearComments", id="NC-103", first=50)["comments"]
    times = [comment["createdAt"] for comment in found["nodes"]]
    assert times == sorted(times, reverse=True)
    assert (len(times), found["pageInfo"]["hasNextPage"]) == (50, True)


def test_many_are_answered_at_once(linear: LinearServer) -> None:
    with ThreadPoolExecutor(40) as pool:
        answers = list(pool.map(lambda _: ask(linear, "Viewer").status_code, range(40)))
    assert answers == [200] * 40
    assert len(linear.sent("Viewer")) == 40
