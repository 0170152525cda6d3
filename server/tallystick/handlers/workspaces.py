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
from ..linear import Gateway, LinearFailure, Refused, Workspace, Workspaces
from ..problem import Problem
from ..store import Unit
from ..times import when
from .linear.asking import UNREADABLE, problem_of


class WorkspaceKeys:
    """Keys of Linear are the server's, not a user's."""

    def __init__(self, gateway: Gateway, workspaces: Workspaces) -> None:
        self._gateway = gateway
        self._workspaces = workspaces

    def list_workspaces(self, request: ListWorkspacesRequest, context: Context) -> ListWorkspacesResponse:
        items = [
            {"label": one.label, **({"organization": one.organization} if one.organization else {})}
            for one in self._workspaces.all()
        ]
        return ListWorkspacesResponse.model_validate({"items": items})

    async def connect_workspace(self, request: ConnectWorkspaceRequest, context: Context) -> ConnectWorkspaceResponse:
        workspace = Workspace(request.label, "", request.key)
        try:
            found = await self._gateway.connection(workspace).ask("Viewer")
            organization = str(found["organization"]["name"])
        except Refused as failure:
            if failure.kind != "key":
                raise problem_of(failure, workspace) from None
            raise Problem(
                Code.INTEGRATION_ERROR, "Linear does not take this key.",
                next_action="Nothing was kept. Make a key in Linear under Settings, Security & access, and try again.",
            ) from None  # fmt: skip
        except LinearFailure as failure:
            raise problem_of(failure, workspace) from None
        except UNREADABLE:
            raise Problem(Code.INTEGRATION_ERROR, "Linear's answer cannot be read. Nothing was kept.") from None
        context.subject = request.label

        def record(unit: Unit) -> ConnectWorkspaceResponse:
            replaced = self._workspaces.connect(request.label, organization, request.key)
            return ConnectWorkspaceResponse(
                success=True, label=request.label, organization=organization, replaced=replaced,
                timestamp=when(context.now),
            )  # fmt: skip

        return await context.errand.record(record)

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
