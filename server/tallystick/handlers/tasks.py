"""Handlers of the group tasks: what is to be done for the memory, and who does it."""

from __future__ import annotations

from typing import Any

from tallystick_contract.models import (
    MemvaultTasksClaimRequest,
    MemvaultTasksClaimResponse,
    MemvaultTasksListRequest,
    MemvaultTasksListResponse,
)

from ..context import Context
from ..store import TaskRecord
from ..times import when

MOST = 100
ORDER = {"high": 0, "normal": 1, "low": 2}


class Tasks:
    """Tasks appear and are done by what happens; a claim only says who is at it."""

    def memvault_tasks_list(self, request: MemvaultTasksListRequest, context: Context) -> MemvaultTasksListResponse:
        found = context.unit.tasks.list(MOST + 1, context.now)
        ordered = sorted(found, key=lambda task: (ORDER[task.priority], task.created, task.id))
        answer: dict[str, Any] = {"tasks": [_task(task) for task in ordered[:MOST]]}
        if len(ordered) > MOST:
            answer["more"] = True
        return MemvaultTasksListResponse.model_validate(answer)

    def memvault_tasks_claim(self, request: MemvaultTasksClaimRequest, context: Context) -> MemvaultTasksClaimResponse:
        lease = context.unit.tasks.claim(request.id, request.owner or context.caller.agent, context.now)
        context.subject = lease.task_id
        return MemvaultTasksClaimResponse(claimed=True, task_id=lease.task_id, expires_at=when(lease.expires))


def _task(task: TaskRecord) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": task.id,
        "kind": task.kind,
        "session": task.session,
        "memories": list(task.memories) or None,
        "pending": task.pending,
        "priority": task.priority,
        "created": when(task.created),
        "claimed_by": task.claimed_by,
        "expires_at": None if task.expires is None else when(task.expires),
    }
    return {name: value for name, value in shown.items() if value is not None}
