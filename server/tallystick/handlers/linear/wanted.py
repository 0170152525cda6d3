"""What a write asks for in Linear's words, and whether Linear did it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from tallystick_contract.errors import Code

from ...problem import Problem

DEFAULT_PRIORITY = 3

_FIELDS = {
    "title": "title", "description": "description", "team_id": "teamId", "project_id": "projectId", "priority": "priority",
    "state_id": "stateId", "assignee_id": "assigneeId",
}  # fmt: skip
_READ = {"teamId": "team", "projectId": "project", "stateId": "state", "assigneeId": "assignee"}
_SPELLINGS = {"labels": "labels", "label_ids": "label_ids", "label_ids_1": "labelIds"}


class Fields(Protocol):
    """A request that has fields of an issue."""

    @property
    def model_fields_set(self) -> set[str]: ...


def issue_input(request: Fields) -> dict[str, Any]:
    """The fields that a request gives, as Linear's inputs name them.

    Raises:
        Problem: INVALID_PARAMS where spellings of labels contradict each other.
    """
    given = request.model_fields_set
    found = {theirs: getattr(request, ours) for ours, theirs in _FIELDS.items() if ours in given}
    labels = _labels(request)
    return found if labels is None else {**found, "labelIds": labels}


def _labels(request: Fields) -> list[str] | None:
    given = {wire: getattr(request, name) for name, wire in _SPELLINGS.items() if name in request.model_fields_set}
    if len({frozenset(map(str.lower, ids)) for ids in given.values()}) > 1:
        raise Problem(
            Code.INVALID_PARAMS,
            f"{' and '.join(f'/{name}' for name in given)} are spellings of one parameter and contradict each other.",
            next_action="Send labels alone. Nothing was sent to Linear.",
        )
    return next(iter(given.values()), None)


def lacking(asked: Mapping[str, Any], row: Mapping[str, Any]) -> list[str]:
    """What was asked of an issue and is not so, in words; empty where all is."""
    found = []
    for field, name in _READ.items():
        if field in asked and _lower((row.get(name) or {}).get("id")) != _lower(asked[field]):
            found.append(f"{name} {asked[field]}")
    if "priority" in asked and row["priority"] != asked["priority"]:
        found.append(f"priority {asked['priority']}")
    if "title" in asked and row["title"].strip() != asked["title"].strip():
        found.append("title")
    if "labelIds" in asked:
        there, wanted = set(map(str.lower, row["labelIds"])), set(map(str.lower, asked["labelIds"]))
        missing, left = sorted(wanted - there), sorted(there - wanted)
        found += [f"labels {', '.join(missing)}"] if missing else []
        found += [f"the removal of labels {', '.join(left)}"] if left else []
    return found


def lost(asked: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What an issue had before it moved to another team and has no longer, as rows of Linear's."""
    found: dict[str, Any] = {}
    if "labelIds" not in asked:
        kept = set(after["labelIds"])
        labels = [label for label in before["labels"]["nodes"] if label["id"] not in kept]
        found |= {"labels": labels} if labels else {}
    if before.get("project") and not after.get("project") and "projectId" not in asked:
        found["project"] = before["project"]
    if before.get("cycle") and not after.get("cycle"):
        found["cycle"] = before["cycle"]
    if "stateId" not in asked and before["state"]["name"] != after["state"]["name"]:
        found["state"] = before["state"]
    return found


def _lower(value: str | None) -> str | None:
    return value.lower() if value is not None else None
