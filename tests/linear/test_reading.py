"""integration_query, action by action, as its documentation says it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.linear.data import LONG, NC_TEAM
from tests.linear.rows import made_id
from tests.linear.server import LinearServer
from tests.linear.tools import QUERY, mutate, query, refused
from tests.live import Live, store

LAUNCH = made_id("averill", "project", "Launch")


@pytest.fixture
def linear(live: Live) -> LinearServer:
    live.linear.renew()
    return live.linear


def search(client: httpx.Client, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = query(client, "search_linear_issues", **arguments)["data"]
    return found


def identifiers(data: dict[str, Any]) -> set[str]:
    return {issue["identifier"] for issue in data["issues"]}


def test_titles_are_searched_and_nothing_else(rest: httpx.Client, linear: LinearServer) -> None:
    assert identifiers(search(rest, query="cors ERROR")) == {"NC-103"}
    assert search(rest, query="preflight")["issues"] == []  # it stands in comments only
    assert search(rest, query="frontend calls")["issues"] == []  # and this in the description


def test_a_hundred_characters_of_a_query_count(rest: httpx.Client, linear: LinearServer) -> None:
    wanted = "CORS error from localhost"
    assert search(rest, query=wanted + " " * 75 + "and more")["issues"] == []
    linear.workspaces["AV"].issue("NC-103").title = wanted + "x" * 80
    found = search(rest, query=wanted + "x" * 75 + "something else")
    assert identifiers(found) == {"NC-103"}
    assert found["query"] == wanted + "x" * 75 + "something else"
    sent = linear.sent("SearchLinearIssues")[-1].variables["filter"]["title"]["containsIgnoreCase"]
    assert len(sent) == 100


@pytest.mark.parametrize(
    ("word", "types"),
    [
        ("open", {"started", "unstarted"}),
        ("closed", {"completed", "canceled"}),
        ("active", {"started"}),
        ("in_progress", {"started"}),
        ("started", {"started"}),
        ("todo", {"unstarted"}),
        ("unstarted", {"unstarted"}),
        ("done", {"completed"}),
        ("completed", {"completed"}),
        ("cancelled", {"canceled"}),
        ("backlog", {"backlog"}),
        ("triage", {"triage"}),
    ],
)
def test_words_for_states(rest: httpx.Client, linear: LinearServer, word: str, types: set[str]) -> None:
    data = search(rest, team_id=NC_TEAM, search_filters={"state": word}, limit=100)
    assert {issue["state"]["type"] for issue in data["issues"]} == types
    assert data["applied_filters"] == ["state"]


def test_a_label_is_exact_and_its_case_counts(rest: httpx.Client, linear: LinearServer) -> None:
    data = search(rest, team_id=NC_TEAM, search_filters={"state": "open", "label": "launch-critical"})
    assert identifiers(data) == {"NC-90", "NC-94", "NC-97"}
    assert data["applied_filters"] == ["state", "label"]
    assert data["team_id"] == NC_TEAM
    assert search(rest, team_id=NC_TEAM, search_filters={"label": "Launch-Critical"})["issues"] == []
    assert search(rest, team_id=NC_TEAM, search_filters={"label": "launch"})["issues"] == []
    labels = next(issue["labels"] for issue in data["issues"] if issue["identifier"] == "NC-90")
    assert {label["name"] for label in labels} == {"Bug", "launch-critical"}


def test_limits_and_what_they_hide(rest: httpx.Client, linear: LinearServer) -> None:
    whole = search(rest, team_id=NC_TEAM)
    assert (whole["returned_issues"], whole["total"], whole["may_be_truncated"]) == (25, 25, True)
    assert search(rest, team_id=NC_TEAM, limit=100)["returned_issues"] == 100
    one = search(rest, team_id=NC_TEAM, limit=1)
    assert (one["returned_issues"], one["total"], one["may_be_truncated"]) == (1, 1, True)
    few = search(rest, query="CORS")
    assert (few["returned_issues"], few["may_be_truncated"]) == (1, False)
    assert "/limit" in refused(rest, QUERY, "search_linear_issues", query="CORS", limit=101)["message"]


def test_descriptions_are_shortened_and_say_so(rest: httpx.Client, linear: LinearServer) -> None:
    def shown(**more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data = search(rest, query="Export stops", **more)
        return data, data["issues"][0]

    data, issue = shown()
    assert issue["description"] == LONG[:200]
    assert (issue["description_truncated"], issue["description_chars_available"]) == (True, len(LONG))
    assert "get_linear_issue" in str(data["detail_hint"])
    data, issue = shown(description_chars=0)
    assert "description" not in issue
    assert issue["description_chars_available"] == len(LONG)
    _, issue = shown(description_chars=5000)
    assert issue["description"] == LONG[:2000]
    _, issue = shown(description_chars=-5)
    assert "description" not in issue
    short = search(rest, query="CORS error")
    assert "detail_hint" not in short
    assert "description_truncated" not in short["issues"][0]
    whole = query(rest, "get_linear_issue", issue_id="NC-97")["data"]["issue"]
    assert whole["description"] == LONG
    assert "description_truncated" not in whole


def test_unknown_filters_and_parameters_are_named_with_the_known(rest: httpx.Client, linear: LinearServer) -> None:
    asked = len(linear.received)
    wrong = refused(rest, QUERY, "search_linear_issues", query="x", search_filters={"assignee": "mira"})
    assert "/search_filters/assignee is not a known argument; known are: label, project, state" in wrong["message"]
    misspelt = refused(rest, QUERY, "search_linear_issues", query="x", team="NC")
    assert "team_id" in misspelt["message"]
    nothing = refused(rest, QUERY, "search_linear_issues", search_filters={"state": "open"})
    assert "at least one of query, team_id" in nothing["message"]
    unknown = refused(rest, QUERY, "delete_linear_issue", issue_id="NC-103")
    assert "get_linear_issue" in unknown["message"]
    assert len(linear.received) == asked


def test_lists_are_read_to_their_end(rest: httpx.Client, linear: LinearServer) -> None:
    labels = query(rest, "list_linear_labels", team_id=NC_TEAM)["data"]
    assert labels["total"] == len(labels["labels"]) == len(linear.workspaces["AV"].labels)
    assert labels["team_id"] == NC_TEAM
    scopes = {label["name"]: label["scope"] for label in labels["labels"]}
    assert (scopes["Bug"], scopes["nexus-only"], scopes["juniper-only"]) == ("workspace", "team", "team")
    assert query(rest, "get_linear_teams")["data"]["total"] == 2
    users = query(rest, "list_linear_users")["data"]
    assert {user["display_name"] for user in users["users"]} >= {"mira", "jonas", "ada"}
    assert query(rest, "get_linear_projects")["data"]["total"] == 2
    states = query(rest, "list_linear_statuses", team_id=NC_TEAM)["data"]["statuses"]
    assert [state["name"] for state in states][:2] == ["Triage", "Backlog"]


def test_details_of_a_team_and_a_project(rest: httpx.Client, linear: LinearServer) -> None:
    team = query(rest, "get_linear_team_detail", team_id=NC_TEAM)["data"]["team"]
    assert team["issue_count"] == 130
    assert [label["name"] for label in team["labels"]] == ["nexus-only"]
    assert {user["display_name"] for user in team["members"]} == {"mira", "jonas", "ada"}
    project = query(rest, "get_linear_project_detail", project_id=LAUNCH)["data"]["project"]
    counted = sum(
        issue.project is not None and issue.project.name == "Launch"
        for issue in linear.workspaces["AV"].issues.values()
    )
    assert project["issue_count"] == counted
    assert {one["key"] for one in project["teams"]} == {"NC", "JUN"}
    assert query(rest, "list_linear_project_labels", project_id=LAUNCH)["data"]["labels"][0]["name"] == "Roadmap"
    assert refused(rest, QUERY, "get_linear_team_detail", team_id="nothing")["code"] == "NOT_FOUND"


def test_comments_shortened_and_whole(rest: httpx.Client, linear: LinearServer) -> None:
    first = query(rest, "list_linear_comments", issue_id="NC-103")["data"]
    assert (first["total"], first["may_be_truncated"]) == (50, True)
    assert "get_linear_comment_detail" in first["detail_hint"]
    cut = [comment for comment in first["comments"] if comment.get("body_truncated")]
    assert cut
    assert all(len(comment["body"]) == 200 < comment["body_chars_available"] for comment in cut)
    whole = query(rest, "get_linear_comment_detail", issue_id="NC-103")["data"]
    assert whole["total"] == 60
    bodies = {comment.id: comment.body for comment in linear.workspaces["AV"].comments.values()}
    assert [comment["body"] for comment in whole["comments"]] == [
        bodies[comment["id"]] for comment in whole["comments"]
    ]
    assert [comment["created"] for comment in whole["comments"]] == sorted(
        comment["created"] for comment in whole["comments"]
    )
    assert any("parent_id" in comment for comment in whole["comments"])


def test_the_context_of_a_project_has_its_memories(rest: httpx.Client, linear: LinearServer) -> None:
    memory_id = store(rest, "The preflight answer lacks a header.", summary="CORS on localhost")
    mutate(rest, "link_memory_to_linear_issue", memory_id=memory_id, issue_id="NC-103")
    context = query(rest, "get_project_context", project_id=LAUNCH)["data"]
    assert context["scoped_by"] == "project"
    assert identifiers(context) == {"NC-90", "NC-94", "NC-103", "JUN-94"}  # the closed one is left out
    assert context["returned_issues"] == 4
    assert context["issues_may_be_truncated"] is False
    (memory,) = context["related_memories"]
    assert (memory["memory_id"], memory["linked_issues"]) == (memory_id, ["NC-103"])
    assert context["total_memories"] == 1
    states = {each["name"]: each["count"] for each in context["patterns"]["states"]}
    assert states == {"started": 3, "unstarted": 1}
    assert {each["name"]: each["count"] for each in context["patterns"]["labels"]}["Bug"] == 3
    closed = query(rest, "get_project_context", project_id=LAUNCH, include_closed=True, description_chars=0)["data"]
    assert "NC-101" in identifiers(closed)
    assert all("description" not in issue for issue in closed["issues"])
    team = query(rest, "get_project_context", team_id=NC_TEAM)["data"]
    assert (team["scoped_by"], team["returned_issues"], team["issues_may_be_truncated"]) == ("team", 50, True)
    assert not {issue["state"]["type"] for issue in team["issues"]} & {"completed", "canceled", "duplicate"}


def test_memories_of_others_are_not_shown(live: Live, rest: httpx.Client, linear: LinearServer) -> None:
    memory_id = store(rest, "Only mine.")
    mutate(rest, "link_memory_to_linear_issue", memory_id=memory_id, issue_id="NC-103")
    with live.rest() as other:
        assert query(other, "get_project_context", project_id=LAUNCH)["data"]["related_memories"] == []
    with live.rest(live.key(scopes=["integration:read"])) as reader:
        assert query(reader, "get_linear_issue", issue_id="NC-103")["data"]["issue"]["identifier"] == "NC-103"
        assert refused(reader, QUERY, "get_project_context", project_id=LAUNCH)["code"] == "PERMISSION_DENIED"


def test_which_workspace(rest: httpx.Client, linear: LinearServer) -> None:
    for label in (None, "XX"):
        asked = len(linear.received)
        choice = query(rest, "get_linear_teams", label)
        assert choice["disambiguation_required"] is True
        assert choice["available_workspaces"] == ["AV", "JL"]
        assert "AV or JL" in choice["message"]
        assert "data" not in choice
        assert len(linear.received) == asked
    mine = query(rest, "get_linear_issue", "jl", issue_id="NC-103")["data"]["issue"]
    assert mine["title"] == "Print catalogue has the wrong cover"
