"""Actions of integration_query that list things."""

from __future__ import annotations

from typing import Any

from tallystick_contract.models import (
    IntegrationQueryGetLinearCommentDetailRequest,
    IntegrationQueryGetLinearCommentDetailResponse,
    IntegrationQueryGetLinearProjectsRequest,
    IntegrationQueryGetLinearProjectsResponse,
    IntegrationQueryGetLinearTeamsRequest,
    IntegrationQueryGetLinearTeamsResponse,
    IntegrationQueryListLinearCommentsRequest,
    IntegrationQueryListLinearCommentsResponse,
    IntegrationQueryListLinearLabelsRequest,
    IntegrationQueryListLinearLabelsResponse,
    IntegrationQueryListLinearProjectLabelsRequest,
    IntegrationQueryListLinearProjectLabelsResponse,
    IntegrationQueryListLinearStatusesRequest,
    IntegrationQueryListLinearStatusesResponse,
    IntegrationQueryListLinearUsersRequest,
    IntegrationQueryListLinearUsersResponse,
)

from ...context import Context
from ...linear import Connection, shown
from .asking import Asking

FIRST_COMMENTS = 50


class Lists(Asking):
    """Lists that are read to their end."""

    async def integration_query_get_linear_teams(
        self, request: IntegrationQueryGetLinearTeamsRequest, context: Context
    ) -> IntegrationQueryGetLinearTeamsResponse:
        async def work(linear: Connection) -> tuple[str, dict[str, Any]]:
            rows, more = await linear.every("GetLinearTeams", "teams")
            return "Linear teams retrieved", _listed("teams", [shown.team(row) for row in rows], more)

        return await self._answered(request, IntegrationQueryGetLinearTeamsResponse, work)

    async def integration_query_get_linear_projects(
        self, request: IntegrationQueryGetLinearProjectsRequest, context: Context
    ) -> IntegrationQueryGetLinearProjectsResponse:
        async def work(linear: Connection) -> tuple[str, dict[str, Any]]:
            rows, more = await linear.every("GetLinearProjects", "projects")
            return "Linear projects retrieved", _listed("projects", [shown.project(row) for row in rows], more)

        return await self._answered(request, IntegrationQueryGetLinearProjectsResponse, work)

    async def integration_query_list_linear_labels(
        self, request: IntegrationQueryListLinearLabelsRequest, context: Context
    ) -> IntegrationQueryListLinearLabelsResponse:
        async def work(linear: Connection) -> tuple[str, dict[str, Any]]:
            rows, more = await linear.every("ListLinearLabels", "issueLabels")
            data = _listed("labels", [shown.label(row) for row in rows], more)
            return "Linear labels retrieved", data | ({"team_id": request.team_id} if request.team_id else {})

        return await self._answered(request, IntegrationQueryListLinearLabelsResponse, work)

    async def integration_query_list_linear_project_labels(
        self, request: IntegrationQueryListLinearProjectLabelsRequest, context: Context
    ) -> IntegrationQueryListLinearProjectLabelsResponse:
        async def work(linear: Connection) -> tuple[str, dict[str, Any]]:
            rows, more = await linear.every("ListLinearProjectLabels", "project", "labels", id=request.project_id)
            return "Linear project labels retrieved", _listed(
                "labels", [shown.project_label(row) for row in rows], more
            )

        return await self._answered(request, IntegrationQueryListLinearProjectLabelsResponse, work)

    async def integration_query_list_linear_statuses(
        self, request: IntegrationQueryListLinearStatusesRequest, context: Context
    ) -> IntegrationQueryListLinearStatusesResponse:
        async def work(linear: Connection) -> tuple[str, dict[str, Any]]:
            rows, more = await linear.every("ListLinearStatuses", "workflowStates", teamId=request.team_id)
            if not rows:
                await linear.ask("ContextScopeTeam", id=request.team_id)  # every team has states: there is no such team
            return "Linear statuses retrieved", _listed("statuses", shown.statuses(rows), more)

        return await self._answered(request, IntegrationQueryListLinearStatusesResponse, work)

    async def integration_query_list_linear_users(
        self, request: IntegrationQueryListLinearUsersRequest, context: Context
    ) -> IntegrationQueryListLinearUsersResponse:
        async def work(linear: Connection) -> tuple[str, dict[str, Any]]:
            rows, more = await linear.every("ListLinearUsers", "users")
            return "Linear users retrieved", _listed("users", [shown.user(row) for row in rows], more)

        return await self._answered(request, IntegrationQueryListLinearUsersResponse, work)

    async def integration_query_list_linear_comments(
        self, request: IntegrationQueryListLinearCommentsRequest, context: Context
    ) -> IntegrationQueryListLinearCommentsResponse:
        async def work(linear: Connection) -> tuple[str, dict[str, Any]]:
            found = (await linear.ask("ListLinearComments", id=request.issue_id, first=FIRST_COMMENTS))["issue"]
            more = found["comments"]["pageInfo"]["hasNextPage"]
            data = _comments(found, found["comments"]["nodes"], shown.COMMENT)
            if more:
                data["may_be_truncated"] = True
            if more or any(each.get("body_truncated") for each in data["comments"]):
                data["detail_hint"] = shown.COMMENT_HINT
            return "Linear comments retrieved", data

        return await self._answered(request, IntegrationQueryListLinearCommentsResponse, work)

    async def integration_query_get_linear_comment_detail(
        self, request: IntegrationQueryGetLinearCommentDetailRequest, context: Context
    ) -> IntegrationQueryGetLinearCommentDetailResponse:
        async def work(linear: Connection) -> tuple[str, dict[str, Any]]:
            found = (await linear.ask("ResolveIssue", id=request.issue_id))["issue"]
            rows, more = await linear.every("ListLinearComments", "issue", "comments", id=found["id"])
            data = _comments(found, rows, None)
            return "Linear comments retrieved, whole", data | ({"may_be_truncated": True} if more else {})

        return await self._answered(request, IntegrationQueryGetLinearCommentDetailResponse, work)


def _listed(name: str, rows: list[dict[str, Any]], more: bool) -> dict[str, Any]:
    return {name: rows, "total": len(rows), **({"truncated": True} if more else {})}


def _comments(issue: dict[str, Any], rows: list[dict[str, Any]], chars: int | None) -> dict[str, Any]:
    """Comments, the oldest first: Linear gives the newest first."""
    ordered = sorted(rows, key=lambda row: (row["createdAt"], row["id"]))
    comments = [shown.comment(row, chars) for row in ordered]
    return {"issue": shown.issue_ref(issue), "comments": comments, "total": len(comments)}
