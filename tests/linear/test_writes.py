"""The tests' Linear changes what Linear would change, and nothing where it refuses."""

from __future__ import annotations

import uuid
from typing import Any

from tests.linear.asking import ask, data, refusal
from tests.linear.data import BUG_LABEL, NC_TEAM
from tests.linear.rows import made_id
from tests.linear.server import LinearServer

JUN_TEAM = made_id("averill", "JUN")


def label(name: str) -> str:
    return BUG_LABEL if name == "Bug" else made_id("averill", "label", name)


def update(linear: LinearServer, id: str, **input: Any) -> Any:
    return data(linear, "UpdateLinearIssue", id=id, input=input)["issue"]


def test_a_create_takes_our_id_and_takes_it_once(linear: LinearServer) -> None:
    mine = {"id": str(uuid.uuid4()), "teamId": NC_TEAM, "title": "CORS"}
    made = data(linear, "CreateLinearIssue", input=mine)["issue"]
    again = refusal(ask(linear, "CreateLinearIssue", input=mine))
    assert (made["id"], made["identifier"], made["state"]["name"]) == (mine["id"], "NC-131", "Backlog")
    assert again["message"] == "conflict on insert of Issue"
    assert again["extensions"]["userPresentableMessage"] == f"Entity Issue with id {mine['id']} already exists."
    assert data(linear, "GetLinearTeamDetail", id=NC_TEAM)["issueCount"] == 131


def test_every_create_takes_an_id_once(linear: LinearServer) -> None:
    issue = linear.workspaces["AV"].issue("NC-103").id
    for operation, entity, fields in (
        ("CreateLinearComment", "Comment", {"issueId": issue, "body": "Hello"}),
        ("CreateLinearLabel", "IssueLabel", {"name": "new"}),
        ("CreateLinearProject", "Project", {"name": "New", "teamIds": [NC_TEAM]}),
    ):
        mine = {"id": str(uuid.uuid4()), **fields}
        data(linear, operation, input=mine)
        assert refusal(ask(linear, operation, input=mine))["message"] == f"conflict on insert of {entity}"


def test_labels_are_replaced(linear: LinearServer) -> None:
    assert update(linear, "NC-103", labelIds=[BUG_LABEL])["labelIds"] == [BUG_LABEL]
    assert update(linear, "NC-103", labelIds=[])["labels"]["nodes"] == []


def test_a_label_of_another_team_is_refused_and_nothing_changes(linear: LinearServer) -> None:
    before = data(linear, "GetLinearIssue", id="NC-103")
    wanted = {"title": "Other", "labelIds": [label("juniper-only")]}
    error = refusal(ask(linear, "UpdateLinearIssue", id="NC-103", input=wanted))
    assert error["message"] == "labelIds for incorrect team"
    assert "juniper-only" in error["extensions"]["userPresentableMessage"]
    assert data(linear, "GetLinearIssue", id="NC-103") == before


def test_a_group_is_no_label_and_a_state_of_another_team_no_state(linear: LinearServer) -> None:
    state = made_id("averill", "JUN", "Done")
    for wanted, told in (({"labelIds": [label("qa")]}, "is a group"), ({"stateId": state}, "Discrepancy")):
        error = refusal(ask(linear, "UpdateLinearIssue", id="NC-103", input=wanted))
        assert told in error["extensions"]["userPresentableMessage"]


def test_a_move_gives_a_new_number_and_loses_what_belongs_to_the_team(linear: LinearServer) -> None:
    before = data(linear, "GetLinearIssue", id="JUN-94")
    after = update(linear, "JUN-94", teamId=NC_TEAM)
    assert before["cycle"]["name"] == "Cycle 12"
    assert (after["id"], after["identifier"], after["cycle"]) == (before["id"], "NC-131", None)
    assert after["previousIdentifiers"] == ["JUN-94"]
    assert after["labelIds"] == [BUG_LABEL]
    assert after["project"]["name"] == "Launch", "it has both teams"
    assert (after["state"]["name"], after["state"]["id"]) == ("In Progress", made_id("averill", "NC", "In Progress"))
    assert refusal(ask(linear, "GetLinearIssue", id="JUN-94"))["message"] == "Entity not found: Issue"


def test_a_move_takes_the_first_state_of_the_category_where_none_has_the_name(linear: LinearServer) -> None:
    search = made_id("averill", "project", "Search rewrite")
    assert update(linear, "NC-90", projectId=search)["state"]["name"] == "In Review"
    after = update(linear, "NC-90", teamId=JUN_TEAM)
    assert (after["state"]["name"], after["project"]) == ("In Progress", None)


def test_an_empty_update_is_a_success_that_changes_nothing(linear: LinearServer) -> None:
    before = data(linear, "GetLinearIssue", id="NC-103")
    assert data(linear, "UpdateLinearIssue", id="NC-103", input={})["success"]
    assert data(linear, "GetLinearIssue", id="NC-103") == before


def test_null_clears_and_absent_leaves_alone(linear: LinearServer) -> None:
    after = update(linear, "NC-103", assigneeId=None, projectId=None)
    assert (after["assignee"], after["project"], after["title"]) == (None, None, "CORS error from localhost")


def test_label_names_differ_by_case_and_scope(linear: LinearServer) -> None:
    team = data(linear, "CreateLinearLabel", input={"name": "Bug", "teamId": NC_TEAM})["issueLabel"]
    assert (team["name"], team["team"]["key"]) == ("Bug", "NC")
    assert data(linear, "CreateLinearLabel", input={"name": "bug"})["issueLabel"]["team"] is None
    assert refusal(ask(linear, "CreateLinearLabel", input={"name": "Bug"}))["message"] == "duplicate label name"
    renamed = data(linear, "UpdateLinearLabel", id=label("Launch-Critical"), input={"name": "launch critical"})
    assert renamed["issueLabel"]["id"] == label("Launch-Critical")


def test_an_attachment_is_kept_once_an_issue_and_url(linear: LinearServer) -> None:
    mine = {"issueId": "NC-103", "url": "https://memory.example/m/1", "title": "One"}
    first = data(linear, "AttachMemoryToLinearIssue", input=mine)["attachment"]
    second = data(linear, "AttachMemoryToLinearIssue", input={**mine, "title": "Two"})["attachment"]
    data(linear, "AttachMemoryToLinearIssue", input={**mine, "issueId": "NC-97"})
    assert (second["id"], second["title"]) == (first["id"], "Two")
    found = data(linear, "LinearIssuesForUrl", url=mine["url"])["nodes"]
    assert {row["issue"]["identifier"] for row in found} == {"NC-103", "NC-97"}
