"""The schema's queries over a workspace, which is `info.context`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.linear.rows import Comment, Info, Issue, Label, Project, Team, User, Workspace, found, page

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, wanted: value == wanted,
    "neq": lambda value, wanted: value != wanted,
    "in": lambda value, wanted: value in wanted,
    "nin": lambda value, wanted: value not in wanted,
    "null": lambda value, wanted: (value is None) == wanted,
    "containsIgnoreCase": lambda value, wanted: value is not None and wanted.casefold() in value.casefold(),
}


def matches(value: Any, where: dict[str, Any]) -> bool:
    """Whether a row, a field of it, or one of its rows meets a filter: every key of it must be met."""
    return all(_meets(value, key, wanted) for key, wanted in where.items() if wanted is not None)


def _meets(value: Any, key: str, wanted: Any) -> bool:
    if key in COMPARE:
        return COMPARE[key](value, wanted)
    if key in ("and", "or"):
        return (all if key == "and" else any)(matches(value, part) for part in wanted)
    if isinstance(value, list):
        inner = wanted if key in ("some", "every") else {key: wanted}
        return (all if key == "every" else any)(matches(row, inner) for row in value)
    if isinstance(value, Issue) and key == "labels":
        return matches(value.tags, wanted)
    return value is not None and matches(getattr(value, key), wanted)


class Queries:
    def viewer(self, info: Info) -> User:
        return info.context.viewer

    def organization(self, info: Info) -> Workspace:
        return info.context

    def users(self, info: Info, **paging: Any) -> Any:
        return page([user for user in info.context.users.values() if user.active], **paging)

    def team(self, info: Info, id: str) -> Team:
        return found("Team", info.context.teams.get(id))

    def teams(self, info: Info, **paging: Any) -> Any:
        return page(list(info.context.teams.values()), **paging)

    def workflowStates(self, info: Info, filter: dict[str, Any] | None = None, **paging: Any) -> Any:
        return page([state for state in info.context.states.values() if matches(state, filter or {})], **paging)

    def issueLabel(self, info: Info, id: str) -> Label:
        return found("IssueLabel", info.context.labels.get(id))

    def issueLabels(self, info: Info, **paging: Any) -> Any:
        return page(list(info.context.labels.values()), **paging)

    def project(self, info: Info, id: str) -> Project:
        return found("Project", info.context.projects.get(id))

    def projects(self, info: Info, **paging: Any) -> Any:
        return page(list(info.context.projects.values()), **paging)

    def issue(self, info: Info, id: str) -> Issue:
        return info.context.issue(id)

    def issues(
        self, info: Info, filter: dict[str, Any] | None = None, orderBy: str = "createdAt", **paging: Any
    ) -> Any:
        return page([issue for issue in info.context.newest(orderBy) if matches(issue, filter or {})], **paging)

    def searchIssues(
        self, info: Info, term: str, teamId: str | None = None, includeComments: bool = False, **paging: Any
    ) -> Any:
        """Issues with any of the words in title or description, most words first. Linear also knows what is alike."""
        words = set(term.casefold().split())
        ranked = []
        for issue in info.context.newest("updatedAt"):
            text = f"{issue.title} {issue.description or ''}".casefold()
            hits = sum(word in text for word in words)
            if hits and teamId in (None, issue.team.id):
                ranked.append((hits, issue))
        ranked.sort(key=lambda pair: -pair[0])
        return {**page([issue for _, issue in ranked], **paging), "totalCount": len(ranked)}

    def comment(self, info: Info, id: str | None = None) -> Comment:
        return found("Comment", info.context.comments.get(id or ""))

    def attachmentsForURL(self, info: Info, url: str, **paging: Any) -> Any:
        return page([row for row in info.context.attachments.values() if row.url == url], **paging)
