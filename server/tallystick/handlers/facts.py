"""Handlers of the group facts: the one small document of durable facts about the user."""

from __future__ import annotations

from typing import Any

from tallystick_contract.errors import Code
from tallystick_contract.models import (
    GetUserFactsRequest,
    GetUserFactsResponse,
    UpdateUserFactsRequest,
    UpdateUserFactsResponse,
)

from ..context import Context
from ..facts import MAX_BYTES, merge_patch, size
from ..problem import Problem
from ..times import when


class Facts:
    """Private to the user; no search ever sees it."""

    def get_user_facts(self, request: GetUserFactsRequest, context: Context) -> GetUserFactsResponse:
        document, updated = context.unit.facts.get(), context.unit.facts.updated()
        return GetUserFactsResponse(
            user_facts=document,
            bytes=size(document),
            max_bytes=MAX_BYTES,
            updated=when(updated) if updated is not None else None,
        )

    def update_user_facts(self, request: UpdateUserFactsRequest, context: Context) -> UpdateUserFactsResponse:
        merged: dict[str, Any] = merge_patch(context.unit.facts.get(), request.facts_patch)
        measured = size(merged)
        if measured > MAX_BYTES:
            raise Problem(
                Code.FACTS_TOO_LARGE,
                f"The merged facts document would have {measured} bytes; at most {MAX_BYTES} are kept. Nothing was changed.",
            )
        context.unit.facts.put(merged, context.now)
        return _receipt(merged, context)

    def replay_update_user_facts(self, answer: dict[str, Any], context: Context) -> UpdateUserFactsResponse:
        """Facts are never kept beside the document, so a replay shows the document as it is now."""
        return _receipt(context.unit.facts.get(), context)


def _receipt(document: dict[str, Any], context: Context) -> UpdateUserFactsResponse:
    shown = document if "facts:read" in context.caller.scopes else None
    return UpdateUserFactsResponse(success=True, user_facts=shown, bytes=size(document), max_bytes=MAX_BYTES)
