"""Actions of integration_query that read one thing, search issues, or bring issues and memories together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallystick_contract.models import (
    IntegrationQueryGetLinearIssueRequest,
    IntegrationQueryGetLinearIssueResponse,
    IntegrationQueryGetLinearProjectDetailRequest,
    IntegrationQueryGetLinearProjectDetailResponse,
    IntegrationQueryGetLinearTeamDetailRequest,
    IntegrationQueryGetLinearTeamDetailResponse,
    IntegrationQueryGetProjectContextRequest,
    IntegrationQueryGetProjectContextResponse,
    IntegrationQuerySearchLinearIssuesRequest,
    IntegrationQuerySearchLinearIssuesResponse,
)

from ...context import Context
from ...linear import Connection, shown
from ...linear.filters import scoped, searched
from ...store import Unit
from ..render import memory_hit
from .asking import Asking

CONTEXT_ISSUES = 50
LINKED_ISSUES = 20  # of them, whose memories are shown
KEPT = ("memory_id", "summary", "summary_truncated", "title", "kind", "timestamp")


class Reads(Asking):
    """One thing, some issues."""

    async def integration_query_get_linear_issue(
        self, request: IntegrationQueryGetLinearIssueRequest, context: Context
    ) -> IntegrationQueryGetLinearIssueResponse:
        async def work(linear: Connection) -> tuple[str, dict[str, Any]]:
            found = await linear.ask("GetLinearIssue", id=request.issue_id)
            return "Linear issue retrieved", {"issue": shown.issue(found["issue"])}

        return await self._answered(request, IntegrationQueryGetLinearIssueResponse, work)

    async def integration_query_search_linear_issues(
        self, request: IntegrationQuerySearchLinearIssuesRequest, context: Context
    ) -> IntegrationQuerySearchLinearIssuesResponse:
        filters = request.search_filters.model_dump(exclude_none=True) if request.search_filters else {}
        chars = shown.clamped(request.description_chars)

        async def work(linear: Connection) -> tuple[str, dict[str, Any]]:
            wanted = searched(request.query, request.team_id, filters)
            # Descriptions are asked for even where none is shown: their length tells a missing one from an empty one.
            found = await linear.ask("SearchLinearIssues", filter=wanted, first=request.limit, withDescription=True)
            issues = [shown.issue(row, chars) for row in found["issues"]["nodes"]]
            data: dict[str, Any] = {
                "issues": issues,
                "returned_issues": len(issues),
                "total": len(issues),
                "may_be_truncated": len(issues) >= request.limit,
                "applied_filters": list(filters),
                **shown.hint(issues),
            }
            echoed = {"query": request.query, "team_id": request.team_id}
            return "Linear issues retrieved", data | {
                name: value for name, value in echoed.items() if value is not None
            }

        return await self._answered(request, IntegrationQuerySearchLinearIssuesResponse, work)

    async def integration_query_get_linear_project_detail(
        self, request: IntegrationQueryGetLinearProjectDetailRequest, context: Context
    ) -> IntegrationQueryGetLinearProjectDetailResponse:
        async def work(linear: Connection) -> tuple[str, dict[str, Any]]:
            found = (await linear.ask("GetLinearProjectDetail", id=request.project_id))["project"]
            ids, more = await linear.every("ProjectIssueIds", "project", "issues", id=found["id"])
            project = shown.project(found) | {"issue_count": len(ids)}
            return "Linear project retrieved", {"project": project | ({"issue_count_truncated": True} if more else {})}

        return await self._answered(request, IntegrationQueryGetLinearProjectDetailResponse, work)

    async def integration_query_get_linear_team_detail(
        self, request: IntegrationQueryGetLinearTeamDetailRequest, context: Context
    ) -> IntegrationQueryGetLinearTeamDetailResponse:
        async def work(linear: Connection) -> tuple[str, dict[str, Any]]:
            found = (await linear.ask("GetLinearTeamDetail", id=request.team_id))["team"]
            members = await _rest(linear, found, "members", "TeamMembers")
            labels = await _rest(linear, found, "labels", "TeamLabels")
            team = shown.team(found) | {
                "members": [shown.user(row) for row in members],
                "states": shown.statuses(found["states"]["nodes"]),
                "labels": [shown.colored(row) for row in labels],
            }
            return "Linear team retrieved", {"team": team}

        return await self._answered(request, IntegrationQueryGetLinearTeamDetailResponse, work)

    async def integration_query_get_project_context(
        self, request: IntegrationQueryGetProjectContextRequest, context: Context
    ) -> IntegrationQueryGetProjectContextResponse:
        chars = shown.clamped(request.description_chars)

        async def work(linear: Connection) -> tuple[str, dict[str, Any]]:
            if request.project_id is not None:
                project = (await linear.ask("ContextScopeProject", id=request.project_id))["project"]
                scope: dict[str, Any] = {"scoped_by": "project", "project": shown.named(project)}
                wanted = scoped(project["id"], None, request.include_closed)
            else:
                team = (await linear.ask("ContextScopeTeam", id=request.team_id))["team"]
                scope = {"scoped_by": "team", "team": shown.team_ref(team)}
                wanted = scoped(None, team["id"], request.include_closed)
            found = await linear.ask("SearchLinearIssues", filter=wanted, first=CONTEXT_ISSUES, withDescription=True)
            issues = [shown.issue(row, chars) for row in found["issues"]["nodes"]]
            names = {issue["id"]: issue["identifier"] for issue in issues[:LINKED_ISSUES]}
            memories = await context.errand.read(lambda unit: _linked(unit, names))
            return "Linear context retrieved", {
                **scope,
                "issues": issues,
                "returned_issues": len(issues),
                "issues_may_be_truncated": len(issues) >= CONTEXT_ISSUES,
                "related_memories": memories,
                "total_memories": len(memories),
                "patterns": shown.patterns(issues),
                **shown.hint(issues),
            }

        return await self._answered(request, IntegrationQueryGetProjectContextResponse, work)


async def _rest(linear: Connection, team: dict[str, Any], name: str, operation: str) -> list[dict[str, Any]]:
    """The rows of a list that came with a team, and those that did not fit."""
    rows: list[dict[str, Any]] = list(team[name]["nodes"])
    if team[name]["pageInfo"]["hasNextPage"]:
        after = team[name]["pageInfo"]["endCursor"]
        rows += (await linear.every(operation, "team", name, id=team["id"], after=after))[0]
    return rows


def _linked(unit: Unit, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """The memories linked to some issues, given as identifiers by UUID; an issue that was renumbered is found all the same."""
    found = []
    for memory in unit.memories.get_many(unit.memories.of_issues(list(names)), body_chars=0):
        hit = {name: value for name, value in memory_hit(memory, 0).items() if name in KEPT}
        linked = [names[link["issue_id"]] for link in memory.linear_issues if link["issue_id"] in names]
        found.append({**hit, "linked_issues": linked})
    return found
