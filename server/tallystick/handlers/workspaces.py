"""Handlers of the group workspaces: which workspaces of Linear are connected. No key is ever answered."""

from __future__ import annotations

from tallystick_contract.errors import Code
from tallystick_contract.models import (
    ConnectWorkspaceRequest,
    ConnectWorkspaceResponse,
    DisconnectWorkspaceRequest,
    DisconnectWorkspaceResponse,
    ListWorkspacesRequest,
    ListWorkspacesResponse,
)

from ..context import Context
from ..linear import Linear, LinearFailure, Workspaces
from ..problem import Problem
from ..times import when
from .elsewhere import problem_of


class WorkspaceKeys:
    """Keys of Linear are the server's, not a user's."""

    def __init__(self, linear: Linear, workspaces: Workspaces) -> None:
        self._linear = linear
        self._workspaces = workspaces

    def list_workspaces(self, request: ListWorkspacesRequest, context: Context) -> ListWorkspacesResponse:
        items = [
            {"label": one.label, **({"organization": one.organization} if one.organization else {})}
            for one in self._workspaces.all()
        ]
        return ListWorkspacesResponse.model_validate({"items": items})

    def connect_workspace(self, request: ConnectWorkspaceRequest, context: Context) -> ConnectWorkspaceResponse:
        try:
            found = self._linear.read(request.key, "Viewer")
        except LinearFailure as failure:
            problem = problem_of(failure)
            if failure.kind == "unauthenticated":
                problem = Problem(
                    Code.INTEGRATION_ERROR, f"Linear does not take this key: {failure.message}",
                    next_action="Nothing was kept. Make a key in Linear under Settings, Security & access, and try again.",
                )  # fmt: skip
            raise problem from None
        organization: str = found["organization"]["name"]
        replaced = self._workspaces.connect(request.label, organization, request.key)
        context.subject = request.label
        return ConnectWorkspaceResponse(
            success=True, label=request.label, organization=organization, replaced=replaced,
            timestamp=when(context.now),
        )  # fmt: skip

    def disconnect_workspace(
        self, request: DisconnectWorkspaceRequest, context: Context
    ) -> DisconnectWorkspaceResponse:
        if not self._workspaces.disconnect(request.label):
            known = ", ".join(one.label for one in self._workspaces.all()) or "none"
            raise Problem(
                Code.NOT_FOUND, f"No key of {request.label} is kept here; connected are: {known}.",
                next_action="One that comes from the environment ends with TALLYSTICK_LINEAR_KEYS.",
            )  # fmt: skip
        context.subject = request.label
        return DisconnectWorkspaceResponse(
            success=True, label=request.label, disconnected=True, timestamp=when(context.now)
        )
