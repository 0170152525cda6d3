"""The workspaces: connected, listed, disconnected."""

from __future__ import annotations

import asyncio
from typing import Any

from tallystick_contract.errors import Code
from tallystick_contract.models import (
    ConnectLinearWorkspaceRequest,
    ConnectLinearWorkspaceResponse,
    DisconnectLinearWorkspaceRequest,
    DisconnectLinearWorkspaceResponse,
    ListLinearWorkspacesRequest,
    ListLinearWorkspacesResponse,
)

from ...context import Context
from ...linear import Kept, LinearFailure, Refused, Unusable, Workspace
from ...problem import Problem
from ...store import Unit
from ...times import when
from .asking import UNREADABLE, Asking, problem_of


class Places(Asking):
    """A workspace is a key under a label. No answer holds a key."""

    async def list_linear_workspaces(
        self, request: ListLinearWorkspacesRequest, context: Context
    ) -> ListLinearWorkspacesResponse:
        every = await asyncio.to_thread(self._all)
        unnamed = [each for each in every if each.organization is None]
        names = dict(
            zip([each.label for each in unnamed], await asyncio.gather(*map(self._organization, unnamed)), strict=True)
        )
        self._workspaces.named({label: name for label, name in names.items() if name is not None})
        items: list[dict[str, Any]] = []
        for each in every:
            name = each.organization or names.get(each.label)
            items.append({"label": each.label, "source": each.source, **({"organization": name} if name else {})})
        return ListLinearWorkspacesResponse.model_validate({"items": items})

    async def connect_linear_workspace(
        self, request: ConnectLinearWorkspaceRequest, context: Context
    ) -> ConnectLinearWorkspaceResponse:
        workspace = Workspace(request.label.upper(), request.key, None, "file")
        try:
            found = await self._gateway.connection(workspace).ask("Viewer")
            organization = str(found["organization"]["name"])
        except Refused as refused:
            if refused.kind != "key":
                raise problem_of(refused, workspace) from None
            raise Problem(
                Code.INTEGRATION_ERROR,
                "Linear does not accept this key. Nothing was kept.",
                next_action="Make a personal API key in Linear, under Settings, Security and access, and try again.",
            ) from None
        except LinearFailure as failure:
            raise problem_of(failure, workspace) from None
        except UNREADABLE:
            raise Problem(Code.INTEGRATION_ERROR, "Linear's answer cannot be read. Nothing was kept.") from None
        context.subject = workspace.label

        def record(unit: Unit) -> ConnectLinearWorkspaceResponse:
            try:
                replaced = self._workspaces.connect(workspace.label, workspace.key, organization)
            except Kept as kept:
                raise Problem(
                    Code.CONFLICT, str(kept), next_action="Change that variable, or use another label."
                ) from None
            except Unusable as error:
                raise Problem(Code.INTEGRATION_ERROR, str(error)) from None
            return ConnectLinearWorkspaceResponse(
                success=True,
                label=workspace.label,
                organization=organization,
                replaced=replaced,
                timestamp=when(context.now),
            )

        return await context.errand.record(record)

    def disconnect_linear_workspace(
        self, request: DisconnectLinearWorkspaceRequest, context: Context
    ) -> DisconnectLinearWorkspaceResponse:
        label = request.label.upper()
        try:
            if not self._workspaces.disconnect(label):
                known = ", ".join(each.label for each in self._all()) or "none"
                raise Problem(Code.NOT_FOUND, f"No Linear workspace is connected as {label}; connected are: {known}.")
        except Kept as kept:
            raise Problem(
                Code.CONFLICT, str(kept), next_action="Take that variable away and start the server anew."
            ) from None
        except Unusable as error:
            raise Problem(Code.INTEGRATION_ERROR, str(error)) from None
        context.subject = label
        return DisconnectLinearWorkspaceResponse(success=True, label=label, timestamp=when(context.now))

    def _all(self) -> list[Workspace]:
        try:
            return self._workspaces.all()
        except Unusable as error:
            raise Problem(Code.INTEGRATION_ERROR, str(error)) from None

    async def _organization(self, workspace: Workspace) -> str | None:
        try:
            found = await self._gateway.connection(workspace).ask("Viewer")
            return str(found["organization"]["name"])
        except (LinearFailure, *UNREADABLE):
            return None  # Linear cannot be asked now; the label is what calls need
