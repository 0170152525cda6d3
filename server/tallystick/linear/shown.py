"""Rows of Linear's in the forms the contract shows them in. What Linear has nothing for is absent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

Row = Mapping[str, Any]

LONGEST = 2000  # characters of a description that a list shows at most
COMMENT = 200
PRIORITIES = {0: "None", 1: "Urgent", 2: "High", 3: "Medium", 4: "Low"}
ISSUE_HINT = "Descriptions are shortened. get_linear_issue with an identifier as issue_id gives one whole."
COMMENT_HINT = "get_linear_comment_detail with the same issue_id gives every comment whole."

_ISSUE = {
    "createdAt": "created", "updatedAt": "updated", "dueDate": "due_date", "branchName": "branch_name", "completedAt": "completed",
    "canceledAt": "canceled", "estimate": "estimate",
}  # fmt: skip
_PROJECT = {
    "slugId": "slug_id", "startDate": "start_date", "targetDate": "target_date", "createdAt": "created", "updatedAt": "updated",
    "description": "description", "content": "content", "progress": "progress", "priority": "priority",
}  # fmt: skip
_COMMENT = {
    "createdAt": "created", "updatedAt": "updated", "editedAt": "edited", "resolvedAt": "resolved", "parentId": "parent_id",
    "url": "url",
}  # fmt: skip


def issue(row: Row, chars: int | None = None) -> dict[str, Any]:
    """An issue; of its description so many characters, where there is one in the row (None: all)."""
    found: dict[str, Any] = {name: row[name] for name in ("id", "identifier", "title", "url")}
    found["priority"] = int(row["priority"])  # which Linear declares as a Float
    found |= _renamed(row, _ISSUE)
    found |= {"state": _some(row["state"], "id", "name", "type"), "team": team_ref(row["team"])}
    labels, ids = row.get("labels"), list(row.get("labelIds") or ())
    found["labels"] = [named(label) for label in labels["nodes"]] if labels else []
    if len(found["labels"]) < len(ids):
        found |= {"label_ids": ids, "labels_truncated": True}
    for name, form in (
        ("assignee", user_ref),
        ("creator", user_ref),
        ("project", named),
        ("parent", issue_ref),
        ("cycle", cycle),
    ):
        if row.get(name):
            found[name] = form(row[name])
    if row.get("previousIdentifiers"):
        found["previous_identifiers"] = list(row["previousIdentifiers"])
    if "description" in row:
        found |= _described(row["description"] or "", chars)
    return found


def _described(text: str, chars: int | None) -> dict[str, Any]:
    if chars is None:
        return {"description": text} if text else {}
    shown: dict[str, Any] = {"description_chars_available": len(text)}
    if chars:
        shown["description"] = text[:chars]
    if len(text) > chars:
        shown["description_truncated"] = True
    return shown


def clamped(chars: int) -> int:
    """A number of characters to show, brought within what is allowed."""
    return max(0, min(chars, LONGEST))


def hint(issues: Iterable[Row]) -> dict[str, Any]:
    """What says how to see the rest, where any description was shortened."""
    return {"detail_hint": ISSUE_HINT} if any(each.get("description_truncated") for each in issues) else {}


def issue_ref(row: Row) -> dict[str, Any]:
    return _some(row, "id", "identifier", "title", "url")


def named(row: Row) -> dict[str, Any]:
    return _some(row, "id", "name")


def cycle(row: Row) -> dict[str, Any]:
    return {**_some(row, "id", "name"), "number": int(row["number"])}


def team_ref(row: Row) -> dict[str, Any]:
    return _some(row, "id", "key", "name")


def user_ref(row: Row) -> dict[str, Any]:
    return {**_some(row, "id", "name"), **_renamed(row, {"displayName": "display_name"})}


def user(row: Row) -> dict[str, Any]:
    more = {"isAssignable": "assignable", **{name: name for name in ("email", "active", "admin", "guest", "app")}}
    return {**user_ref(row), **_renamed(row, more)}


def team(row: Row) -> dict[str, Any]:
    more = {
        "description": "description",
        "visibility": "visibility",
        "timezone": "timezone",
        "issueCount": "issue_count",
    }
    return {**team_ref(row), **_renamed(row, more)}


def status(row: Row) -> dict[str, Any]:
    return _some(row, "id", "name", "type", "color", "position", "description")


def statuses(rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [status(row) for row in sorted(rows, key=lambda row: row["position"])]


def colored(row: Row) -> dict[str, Any]:
    return _some(row, "id", "name", "color")


def label(row: Row) -> dict[str, Any]:
    """A label for issues; whether it is a team's is what Linear says."""
    found = {**_some(row, "id", "name", "color", "description"), "scope": "team" if row.get("team") else "workspace"}
    if row.get("team"):
        found["team"] = team_ref(row["team"])
    return found | _grouped(row)


def project_label(row: Row) -> dict[str, Any]:
    return _some(row, "id", "name", "color", "description") | _grouped(row)


def _grouped(row: Row) -> dict[str, Any]:
    group = {"group": True} if row.get("isGroup") else {}
    return {**group, **({"parent": named(row["parent"])} if row.get("parent") else {})}


def project(row: Row) -> dict[str, Any]:
    found = {**_some(row, "id", "name", "url"), **_renamed(row, _PROJECT)}
    if row.get("status"):
        found["status"] = _some(row["status"], "id", "name", "type")
    if row.get("lead"):
        found["lead"] = user_ref(row["lead"])
    for name, form in (("teams", team_ref), ("members", user_ref), ("labels", colored)):
        if name in row:
            found[name] = [form(each) for each in row[name]["nodes"]]
            if row[name].get("pageInfo", {}).get("hasNextPage"):
                found[f"{name}_truncated"] = True
    return found


def comment(row: Row, chars: int | None = None) -> dict[str, Any]:
    """A comment, whole or of so many characters."""
    body = row["body"]
    found: dict[str, Any] = {
        "id": row["id"],
        "body": body if chars is None else body[:chars],
        **_renamed(row, _COMMENT),
    }
    if chars is not None and len(body) > chars:
        found |= {"body_truncated": True, "body_chars_available": len(body)}
    if row.get("user"):
        found |= {"author": row["user"]["name"], "author_id": row["user"]["id"]}
    else:
        author = (row.get("botActor") or row.get("externalUser") or {}).get("name")
        found |= {"author": author} if author else {}
    return found


def patterns(issues: list[dict[str, Any]]) -> dict[str, Any]:
    """What some issues have in common, counted."""
    updated = [each["updated"] for each in issues if "updated" in each]
    people = [each["assignee"]["name"] for each in issues if "assignee" in each]
    return {
        "states": _counted(each["state"]["type"] for each in issues),
        "priorities": _counted(PRIORITIES.get(int(each["priority"]), str(each["priority"])) for each in issues),
        "labels": _counted(label["name"] for each in issues for label in each["labels"]),
        "assignees": _counted(people),
        "unassigned": len(issues) - len(people),
        **({"oldest_update": min(updated)} if updated else {}),
    }


def _counted(names: Iterable[str]) -> list[dict[str, Any]]:
    found = Counter(names)
    return [{"name": name, "count": found[name]} for name in sorted(found, key=lambda name: (-found[name], name))]


def _some(row: Row, *names: str) -> dict[str, Any]:
    return {name: row[name] for name in names if row.get(name) is not None}


def _renamed(row: Row, names: Mapping[str, str]) -> dict[str, Any]:
    return {ours: row[theirs] for theirs, ours in names.items() if row.get(theirs) is not None}
