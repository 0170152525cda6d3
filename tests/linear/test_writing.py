"""integration_mutate, action by action, as its documentation says it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.linear import faults
from tests.linear.data import BUG_LABEL, NC_DONE, NC_TEAM
from tests.linear.rows import made_id
from tests.linear.server import LinearServer
from tests.linear.tools import MUTATE, QUERY, mutate, query, refused
from tests.live import Live, store

JUN_TEAM = made_id("averill", "JUN")
BACKEND = made_id("averill", "label", "Backend")
LAUNCH = made_id("averill", "project", "Launch")


@pytest.fixture
def linear(live: Live) -> LinearServer:
    live.linear.renew()
    live.linear.received.clear()
    return live.linear


def labels(linear: LinearServer, identifier: str) -> set[str]:
    return {label.name for label in linear.workspaces["AV"].issue(identifier).tags}


@pytest.mark.parametrize("action", ["create_linear_issue", "save_linear_issue", "auto_create_linear_issue"])
def test_creating_an_issue(rest: httpx.Client, linear: LinearServer, action: str) -> None:
    data = mutate(rest, action, title="New one", team_id=NC_TEAM, description="*Why*", labels=[BUG_LABEL])["data"]
    issue = data["issue"]
    assert data["created"] is True
    assert (issue["title"], issue["priority"], issue["team"]["key"]) == ("New one", 3, "NC")
    assert [label["name"] for label in issue["labels"]] == ["Bug"]
    there = linear.workspaces["AV"].issue(issue["identifier"])
    assert (there.id, there.description) == (issue["id"], "*Why*")
    urgent = mutate(rest, action, title="Another", team_id=NC_TEAM, priority=1, project_id=LAUNCH)["data"]["issue"]
    assert (urgent["priority"], urgent["project"]["name"]) == (1, "Launch")


def test_closing_an_issue_by_its_identifier(rest: httpx.Client, linear: LinearServer) -> None:
    data = mutate(rest, "save_linear_issue", issue_id="NC-103", state_id=NC_DONE)["data"]
    assert (data["created"], data["issue"]["state"]["type"]) == (False, "completed")
    (write,) = linear.writes
    assert write.variables["id"] == made_id("averill", "issue", "NC", 103)
    assert write.variables["input"] == {"stateId": NC_DONE}


def test_labels_replace(rest: httpx.Client, linear: LinearServer) -> None:
    mutate(rest, "save_linear_issue", issue_id="NC-103", labels=[BUG_LABEL])
    assert labels(linear, "NC-103") == {"Bug"}
    for spelling in ("label_ids", "labelIds"):
        both: dict[str, Any] = {spelling: [BUG_LABEL, BACKEND]}
        mutate(rest, "save_linear_issue", issue_id="NC-103", **both)
        assert labels(linear, "NC-103") == {"Bug", "Backend"}
        mutate(rest, "save_linear_issue", issue_id="NC-103", labels=[])
        assert labels(linear, "NC-103") == set()


def test_what_is_refused_before_anything_is_sent(rest: httpx.Client, linear: LinearServer) -> None:
    def message(**arguments: Any) -> str:
        error = refused(rest, MUTATE, "save_linear_issue", issue_id="NC-103", **arguments)
        assert error["code"] == "INVALID_PARAMS"
        return str(error["message"])

    assert "give at least one of title, description" in message()
    assert "Did you mean title?" in message(titel="x")
    assert "/labels/0" in message(labels=["qa → cleanup"])
    assert "give only one of labels, label_ids, labelIds" in message(labels=[BUG_LABEL], label_ids=[BACKEND])
    assert "search_filters" in message(search_filters={"title": "x"})
    assert "/priority" in message(priority=5)
    assert refused(rest, MUTATE, "save_linear_issue", title="no team")["code"] == "INVALID_PARAMS"
    assert refused(rest, MUTATE, "create_linear_issue", title="x", team_id="NC")["code"] == "INVALID_PARAMS"
    assert refused(rest, MUTATE, "update_linear_label", id=BUG_LABEL)["code"] == "INVALID_PARAMS"
    assert refused(rest, MUTATE, "create_linear_project", name="x")["code"] == "INVALID_PARAMS"
    teams: dict[str, Any] = {"team_id": NC_TEAM, "team_ids": [JUN_TEAM]}
    assert (
        "give only one of team_ids, team_id"
        in refused(rest, MUTATE, "create_linear_project", name="x", **teams)["message"]
    )
    assert linear.received == []


def test_a_move_says_what_was_lost(rest: httpx.Client, linear: LinearServer) -> None:
    memory_id = store(rest, "Folders that were renamed.")
    mutate(rest, "link_memory_to_linear_issue", memory_id=memory_id, issue_id="JUN-94")
    data = mutate(rest, "save_linear_issue", issue_id="JUN-94", team_id=NC_TEAM)["data"]
    new = data["issue"]["identifier"]
    assert new.startswith("NC-")
    assert (data["moved"], data["previous_identifier"], data["memories_updated"]) == (True, "JUN-94", 1)
    assert [label["name"] for label in data["lost"]["labels"]] == ["juniper-only"]
    assert data["lost"]["cycle"]["number"] == 12
    assert "project" not in data["lost"]  # the new team has a part in it
    assert refused(rest, QUERY, "get_linear_issue", issue_id="JUN-94")["code"] == "NOT_FOUND"
    (link,) = rest.get(f"/v1/memories/{memory_id}").json()["linear_issues"]
    assert (link["identifier"], link["workspace"]) == (new, "AV")
    assert query(rest, "get_project_context", project_id=LAUNCH)["data"]["related_memories"][0]["linked_issues"] == [
        new
    ]


def test_a_link_survives_a_move_that_somebody_else_made(rest: httpx.Client, linear: LinearServer) -> None:
    memory_id = store(rest, "Folders that were renamed.")
    mutate(rest, "link_memory_to_linear_issue", memory_id=memory_id, issue_id="JUN-94")
    space = linear.workspaces["AV"]
    issue = space.issue("JUN-94")
    issue.team, issue.number = space.teams[NC_TEAM], 500
    context = query(rest, "get_project_context", project_id=LAUNCH)["data"]
    assert [memory["linked_issues"] for memory in context["related_memories"]] == [["NC-500"]]
    again = mutate(rest, "link_memory_to_linear_issue", memory_id=memory_id, issue_id="NC-500")["data"]
    assert again["already_linked"] is True
    (link,) = rest.get(f"/v1/memories/{memory_id}").json()["linear_issues"]
    assert link["identifier"] == "NC-500"


def test_the_scope_of_a_label_is_read_back(rest: httpx.Client, linear: LinearServer) -> None:
    wide = mutate(rest, "create_linear_label", name="flaky", color="#5e6ad2")["data"]
    assert (wide["scope"], wide["label"]["color"]) == ("workspace", "#5e6ad2")
    narrow = mutate(rest, "create_linear_label", name="flaky-nc", team_id=NC_TEAM)["data"]
    assert (narrow["scope"], narrow["label"]["team"]["key"]) == ("team", "NC")
    foreign = refused(rest, MUTATE, "save_linear_issue", issue_id="JUN-95", labels=[narrow["label"]["id"]])
    assert foreign["code"] == "INTEGRATION_ERROR"
    assert "LabelIds for incorrect team" in foreign["message"] or "team" in foreign["message"]


def test_mending_the_case_of_a_label_is_read_back(rest: httpx.Client, linear: LinearServer) -> None:
    linear.plant(faults.Fault("name forgotten", applied=True, forgets=("name",)), operation="UpdateLinearLabel")
    lost = refused(rest, MUTATE, "update_linear_label", id=BUG_LABEL, name="bug")
    assert "did not apply: name" in lost["message"]
    assert mutate(rest, "update_linear_label", id=BUG_LABEL, name="bug")["data"]["label"]["name"] == "bug"


def test_renaming_a_label_keeps_its_id(rest: httpx.Client, linear: LinearServer) -> None:
    wrong = made_id("averill", "label", "Launch-Critical")
    before = mutate(rest, "update_linear_label", id=wrong, name="launch-important", description="Right now")["data"]
    assert (before["label"]["id"], before["label"]["name"]) == (wrong, "launch-important")
    assert linear.workspaces["AV"].labels[wrong].name == "launch-important"


def test_projects_and_comments(rest: httpx.Client, linear: LinearServer) -> None:
    project = mutate(rest, "create_linear_project", name="Importer", team_ids=[NC_TEAM, JUN_TEAM])["data"]["project"]
    assert {team["key"] for team in project["teams"]} == {"NC", "JUN"}
    assert mutate(rest, "create_linear_project", name="Small", team_id=NC_TEAM)["data"]["project"]["name"] == "Small"
    comment = mutate(rest, "create_linear_comment", issue_id="NC-97", body="Seen **again**.")["data"]
    there = linear.workspaces["AV"].comments[comment["comment_id"]]
    assert (there.body, there.issue.identifier) == ("Seen **again**.", "NC-97")
    assert "body" not in str(comment)


def test_linking_a_memory(rest: httpx.Client, linear: LinearServer) -> None:
    memory_id = store(rest, "The preflight lacks a header.")
    data = mutate(rest, "link_memory_to_linear_issue", memory_id=memory_id, issue_id="NC-103")["data"]
    assert (data["already_linked"], data["issue"]["identifier"]) == (False, "NC-103")
    assert "attachment" not in data
    detail = rest.get(f"/v1/memories/{memory_id}").json()
    (link,) = detail["linear_issues"]
    assert (link["identifier"], link["issue_id"]) == ("NC-103", made_id("averill", "issue", "NC", 103))
    assert detail["revision"] == data["revision"]
    again = mutate(rest, "link_memory_to_linear_issue", memory_id=memory_id, issue_id="NC-103")["data"]
    assert (again["already_linked"], again["revision"]) == (True, data["revision"])
    assert linear.writes == []
    assert (
        refused(rest, MUTATE, "link_memory_to_linear_issue", memory_id="mem_no", issue_id="NC-1")["code"] == "NOT_FOUND"
    )
    unknown = refused(rest, MUTATE, "link_memory_to_linear_issue", memory_id=memory_id, issue_id="NC-999")
    assert unknown["code"] == "NOT_FOUND"
    assert rest.delete(f"/v1/memories/{memory_id}").status_code == 200


def test_finding_related_issues(rest: httpx.Client, linear: LinearServer) -> None:
    text = "Login loops: the session cookie expires and the browser is sent back to login for ever."
    memory_id = store(rest, text, summary="Login loop after the session cookie expires")
    data = mutate(rest, "cross_reference_linear_memory", memory_id=memory_id)["data"]
    assert data["linked"][0]["issue"]["identifier"] == "NC-90"
    assert {"login", "session", "cookie", "expires"} <= set(data["linked"][0]["matched_terms"])
    assert "Its title has" in data["linked"][0]["why"]
    shown = {link["identifier"] for link in rest.get(f"/v1/memories/{memory_id}").json()["linear_issues"]}
    assert shown == {each["issue"]["identifier"] for each in data["linked"]}
    unrelated = store(rest, "Nothing of the kind.", summary="Tomatoes need sun")
    nothing = mutate(rest, "cross_reference_linear_memory", memory_id=unrelated)
    assert (nothing["data"]["total"], nothing["message"]) == (0, "No related Linear issue was found.")


def test_telling_an_issue_of_a_memory(rest: httpx.Client, linear: LinearServer) -> None:
    memory_id = store(rest, "Set Access-Control-Allow-Origin in the gateway.", summary="CORS was fixed in the gateway")
    comment = mutate(rest, "update_ticket_from_memory", issue_id="NC-103", memory_id=memory_id)["data"]
    body = linear.workspaces["AV"].comments[comment["comment_id"]].body
    assert "CORS was fixed in the gateway" in body
    assert "Access-Control-Allow-Origin" in body
    before = linear.workspaces["AV"].issue("NC-103").description or ""
    added = {"issue_id": "NC-103", "memory_id": memory_id, "update_type": "update_description"}
    mutate(rest, "update_ticket_from_memory", **added)
    after = linear.workspaces["AV"].issue("NC-103").description or ""
    assert after.startswith(before)
    assert "Access-Control-Allow-Origin" in after


def test_a_memory_keeps_its_links_when_it_is_edited(rest: httpx.Client, linear: LinearServer) -> None:
    memory_id = store(rest, "The preflight lacks a header.")
    mutate(rest, "link_memory_to_linear_issue", memory_id=memory_id, issue_id="NC-103")
    rest.patch(f"/v1/memories/{memory_id}", json={"title": "Another title"})
    assert rest.get(f"/v1/memories/{memory_id}").json()["linear_issues"][0]["identifier"] == "NC-103"
