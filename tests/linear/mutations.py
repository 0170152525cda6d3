"""The schema's mutations over a workspace. What is refused changes nothing."""

from __future__ import annotations

import re
import uuid
from dataclasses import replace
from typing import Any

from tests.linear.refusals import argument, conflict, invalid
from tests.linear.rows import Attachment, Comment, Info, Issue, Label, Project, State, Team, Workspace, found, now

Input = dict[str, Any]

UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
CATEGORIES_ENDED = {"completed": "completedAt", "canceled": "canceledAt", "duplicate": "canceledAt"}
DISCREPANCY = "Discrepancy between issue team and state, cycle or project."


class Mutations:
    def issueCreate(self, info: Info, input: Input) -> Any:
        space = info.context
        id = _new_id("Issue", space.issues, input)
        if not (input.get("title") or "").strip():
            raise argument("title should not be empty.")
        team = found("Team", space.teams.get(input["teamId"]))
        issue = Issue(
            id=id,
            title="",
            team=team,
            number=team.issued + 1,
            state=_first(space, team, "backlog"),
            creator=space.viewer,
        )
        _change(space, issue, {key: value for key, value in input.items() if key != "teamId"})
        team.issued += 1
        space.issues[id] = issue
        return {"success": True, "issue": issue}

    def issueUpdate(self, info: Info, id: str, input: Input) -> Any:
        """An empty input is a success that changes nothing, as it is at Linear."""
        space = info.context
        issue = space.issue(id)
        if input:
            changed = replace(issue, tags=list(issue.tags), previousIdentifiers=list(issue.previousIdentifiers))
            _change(space, changed, input)
            moved = changed.team is not issue.team
            issue.__dict__.update(changed.__dict__, updatedAt=now())
            issue.team.issued += moved
        return {"success": True, "issue": issue}

    def issueLabelCreate(self, info: Info, input: Input) -> Any:
        space = info.context
        id = _new_id("IssueLabel", space.labels, input)
        team = found("Team", space.teams.get(input["teamId"])) if input.get("teamId") else None
        label = Label(id=id, name="", team=team)
        _describe(space, label, input)
        space.labels[id] = label
        return {"success": True, "issueLabel": label}

    def issueLabelUpdate(self, info: Info, id: str, input: Input) -> Any:
        space = info.context
        label = found("IssueLabel", space.labels.get(id))
        _describe(space, label, input)
        return {"success": True, "issueLabel": label}

    def commentCreate(self, info: Info, input: Input) -> Any:
        space = info.context
        id = _new_id("Comment", space.comments, input)
        if not (input.get("body") or "").strip():
            raise argument("body should not be empty.")
        issue = space.issue(input.get("issueId") or "")
        parent = found("Comment", space.comments.get(input["parentId"])).id if input.get("parentId") else None
        comment = Comment(id=id, body=input["body"], issue=issue, user=space.viewer, parentId=parent)
        space.comments[id] = comment
        return {"success": True, "comment": comment}

    def projectCreate(self, info: Info, input: Input) -> Any:
        space = info.context
        id = _new_id("Project", space.projects, input)
        if not input["name"].strip() or not input["teamIds"]:
            raise argument("name should not be empty, and teamIds must hold at least one team.")
        project = Project(
            id=id,
            name=input["name"],
            inTeams=[found("Team", space.teams.get(team)) for team in input["teamIds"]],
            description=input.get("description") or "",
            content=input.get("content"),
            status={"id": str(uuid.uuid4()), "name": "Backlog", "type": "backlog"},
        )
        space.projects[id] = project
        return {"success": True, "project": project}

    def attachmentCreate(self, info: Info, input: Input) -> Any:
        """The URL is the key on an issue: the same one again changes the attachment there is."""
        space = info.context
        issue = space.issue(input["issueId"])
        there = (row for row in space.attachments.values() if row.issue is issue and row.url == input["url"])
        attachment = next(there, None) or Attachment(id=str(uuid.uuid4()), issue=issue, url=input["url"], title="")
        attachment.title, attachment.subtitle = input["title"], input.get("subtitle")
        attachment.metadata = input.get("metadata") or {}
        space.attachments[attachment.id] = attachment
        return {"success": True, "attachment": attachment}


def _new_id(entity: str, rows: dict[str, Any], input: Input) -> str:
    id = input.get("id")
    if id is None:
        return str(uuid.uuid4())
    if not UUID4.fullmatch(id):
        raise argument("id must be a UUID.")
    if id in rows:
        raise conflict(entity, id)
    return str(id)


def _change(space: Workspace, issue: Issue, input: Input) -> None:
    """Write an input's fields into an issue: the team first, since the others are those of the new one."""
    if input.get("teamId") and input["teamId"] != issue.team.id:
        _move(space, issue, found("Team", space.teams.get(input["teamId"])))
    for key in ("title", "description"):
        if key in input:
            if key == "title" and not (input[key] or "").strip():
                raise argument("title should not be empty.")
            setattr(issue, key, input[key])
    if "priority" in input:
        if input["priority"] not in (0, 1, 2, 3, 4):
            raise argument("priority must not be greater than 4.")
        issue.priority = input["priority"]
    if "assigneeId" in input:
        issue.assignee = input["assigneeId"] and found("User", space.users.get(input["assigneeId"]))
    if "projectId" in input:
        issue.project = input["projectId"] and found("Project", space.projects.get(input["projectId"]))
        if issue.project and issue.team not in issue.project.inTeams:
            raise invalid("Discrepancy in team", DISCREPANCY)
    if "stateId" in input:
        _enter(issue, found("WorkflowState", space.states.get(input["stateId"] or "")))
    if "labelIds" in input:
        issue.tags = [_label(space, issue, id) for id in dict.fromkeys(input["labelIds"] or [])]


def _move(space: Workspace, issue: Issue, team: Team) -> None:
    """A new number; the cycle, the old team's labels and a project that does not include the new team are lost."""
    issue.previousIdentifiers.append(issue.identifier)
    issue.team, issue.number, issue.cycle = team, team.issued + 1, None
    issue.tags = [label for label in issue.tags if label.team is None]
    if issue.project and team not in issue.project.inTeams:
        issue.project = None
    same = (state for state in space.states.values() if state.team is team and state.name == issue.state.name)
    _enter(issue, next(same, None) or _first(space, team, issue.state.type))


def _enter(issue: Issue, state: State) -> None:
    if state.team is not issue.team:
        raise invalid("Discrepancy in team", DISCREPANCY)
    issue.state, issue.completedAt, issue.canceledAt = state, None, None
    if state.type in CATEGORIES_ENDED:
        setattr(issue, CATEGORIES_ENDED[state.type], now())


def _first(space: Workspace, team: Team, category: str) -> State:
    states = [state for state in space.states.values() if state.team is team and state.type == category]
    return min(states, key=lambda state: state.position)


def _label(space: Workspace, issue: Issue, id: str) -> Label:
    label = found("IssueLabel", space.labels.get(id))
    if label.isGroup:
        raise argument(f"The label '{label.name}' is a group and cannot be assigned to issues directly.")
    if label.team not in (None, issue.team):
        raise invalid(
            "labelIds for incorrect team",
            f"The label '{label.name}' is not associated with the same team as the issue.",
            "INVALID_INPUT",
        )
    return label


def _describe(space: Workspace, label: Label, input: Input) -> None:
    """Names are told apart by case, and must differ within the workspace or the team."""
    name = input.get("name", label.name)
    if not (name or "").strip():
        raise argument("name should not be empty.")
    if any(row.name == name and row.team is label.team and row is not label for row in space.labels.values()):
        raise invalid("duplicate label name", f"A label with the name '{name}' already exists.", "INVALID_INPUT")
    label.name = name
    label.color = input.get("color") or label.color
    label.description = input.get("description", label.description)
