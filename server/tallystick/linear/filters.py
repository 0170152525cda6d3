"""From the filters of search_linear_issues to Linear's IssueFilter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TERM = 100  # characters of a query that count

_STARTED, _UNSTARTED, _DONE, _CANCELED = ["started"], ["unstarted"], ["completed"], ["canceled"]
STATES = {
    "open": [*_STARTED, *_UNSTARTED],
    "closed": [*_DONE, *_CANCELED],
    "active": _STARTED,
    "in_progress": _STARTED,
    "started": _STARTED,
    "todo": _UNSTARTED,
    "unstarted": _UNSTARTED,
    "done": _DONE,
    "completed": _DONE,
    "cancelled": _CANCELED,
    "canceled": _CANCELED,
    "backlog": ["backlog"],
    "triage": ["triage"],
}
"""Types of Linear's workflow states that each word stands for."""

CLOSED = ["completed", "canceled", "duplicate"]


def searched(query: str | None, team_id: str | None, filters: Mapping[str, str]) -> dict[str, Any]:
    """The filter of a search."""
    found: dict[str, Any] = {}
    if query is not None:
        found["title"] = {"containsIgnoreCase": query[:TERM]}
    if team_id is not None:
        found["team"] = {"id": {"eq": team_id}}
    if "state" in filters:
        found["state"] = {"type": {"in": STATES[filters["state"]]}}
    if "label" in filters:
        found["labels"] = {"some": {"name": {"eq": filters["label"]}}}
    if "project" in filters:
        found["project"] = {"id": {"eq": filters["project"]}}
    return found


def scoped(project_id: str | None, team_id: str | None, include_closed: bool) -> dict[str, Any]:
    """The filter of a project's issues or, where none is named, a team's."""
    found: dict[str, Any] = (
        {"project": {"id": {"eq": project_id}}} if project_id is not None else {"team": {"id": {"eq": team_id}}}
    )
    if not include_closed:
        found["state"] = {"type": {"nin": CLOSED}}
    return found


def titled(terms: list[str]) -> dict[str, Any]:
    """The filter of issues that have any of some terms in their title."""
    return {"or": [{"title": {"containsIgnoreCase": term[:TERM]}} for term in terms]}
