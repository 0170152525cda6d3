"""What every call to Linear goes through: which workspace, what an answer looks like, what a failure means to the caller."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

import structlog
from pydantic import BaseModel
from tallystick_contract.errors import Code

from ...context import Context
from ...linear import (
    Connection,
    Gateway,
    LinearFailure,
    Refused,
    Throttled,
    Unknown,
    Workspace,
    Workspaces,
    chosen,
)
from ...problem import Problem
from ...store import MemoryRecord

log = structlog.get_logger(__name__)

M = TypeVar("M", bound=BaseModel)
UNREADABLE = (KeyError, TypeError, IndexError, AttributeError)
"""What reading an answer raises that lacks what Linear's schema promises."""


class Asked(Protocol):
    """A request of either tool."""

    workspace: str | None


class Lost(Exception):
    """A write was sent and its outcome is not known; the text says so."""


class Asking:
    """The part that all handlers of the group share.

    Args:
        gateway: to Linear.
        workspaces: their keys.
        public_url: where people reach this server, where they do.
    """

    def __init__(self, gateway: Gateway, workspaces: Workspaces, public_url: str | None) -> None:
        self._gateway = gateway
        self._workspaces = workspaces
        self._public_url = public_url

    async def _answered(
        self, request: Asked, model: type[M], work: Callable[[Connection], Awaitable[tuple[str, dict[str, Any]]]]
    ) -> M:
        """The answer of an action that reads: what `work` gives, message and data, in the envelope."""
        found = await self._chosen(request.workspace)
        if isinstance(found, list):
            return model.model_validate(_choice(found))
        try:
            message, data = await work(self._gateway.connection(found))
        except LinearFailure as failure:
            raise problem_of(failure, found) from None
        except UNREADABLE:
            raise _unreadable() from None
        return model.model_validate(enveloped(message, data))

    async def _written(
        self, request: Asked, context: Context, model: type[M], work: Callable[[Connection], Awaitable[M]]
    ) -> M:
        """The answer of an action that writes; `work` sends and records."""
        found = await self._chosen(request.workspace)
        if isinstance(found, list):
            return model.model_validate(_choice(found))
        try:
            return await work(self._gateway.connection(found))
        except LinearFailure as failure:
            raise problem_of(failure, found) from None
        except Lost as lost:
            raise Problem.unknown(str(lost)) from None
        except UNREADABLE:
            if context.errand.open:
                text = "Linear took the write, but its answer cannot be read, so what became of it is not known."
                await context.errand.unknown(text)
                raise Problem.unknown(text) from None
            raise _unreadable() from None

    async def _chosen(self, label: str | None) -> Workspace | list[str]:
        """The workspace that a call is for, or the labels there are where one has to be named."""
        try:
            every = await asyncio.to_thread(self._workspaces.all)
        except (OSError, ValueError) as error:
            raise Problem(Code.INTEGRATION_ERROR, f"The keys of the workspaces cannot be read: {error}") from None
        if not every:
            raise Problem(
                Code.INTEGRATION_NOT_CONFIGURED,
                "No Linear workspace is connected.",
                next_action="Ask the user to run `tallystick linear connect LABEL`. Do not retry before that.",
            )
        return chosen(every, label) or [each.label for each in every]


def enveloped(message: str, data: dict[str, Any]) -> dict[str, Any]:
    return {"success": True, "message": message, "data": data}


async def sending(
    context: Context,
    linear: Connection,
    operation: str,
    target: str,
    settle: Callable[[], Awaitable[dict[str, Any] | None]],
    **variables: Any,
) -> dict[str, Any]:
    """Send a write once, noted before, and give what Linear answers.

    Args:
        target: id of what it makes or changes.
        settle: looks what became of it, where no answer told; None: that is not to be seen.

    Raises:
        LinearFailure: it did not happen.
        Lost: nobody knows, and that is noted.
    """
    await context.errand.sent(target)
    try:
        return dict(await linear.tell(operation, **variables))
    except Unknown as unknown:
        try:
            found = await settle()
        except (LinearFailure, *UNREADABLE):
            found = None
        if found is not None:
            return found
        text = f"{unknown} Whether the write has happened is not known (id {target})."
        await context.errand.unknown(text)
        raise Lost(text) from None
    except LinearFailure:
        await context.errand.refused()
        raise


async def memory_of(context: Context, memory_id: str) -> MemoryRecord:
    """The memory of that id.

    Raises:
        Problem: NOT_FOUND.
    """
    memory = await context.errand.read(lambda unit: unit.memories.get(memory_id))
    if memory is None:
        raise Problem(Code.NOT_FOUND, f"There is no memory {memory_id}.")
    context.subject = memory.id
    return memory


def problem_of(failure: LinearFailure, workspace: Workspace) -> Problem:
    """What a failure of Linear's means to the caller."""
    text = str(failure)
    if isinstance(failure, Throttled):
        return Problem(Code.RATE_LIMITED, text, retry_after=failure.seconds)
    if isinstance(failure, Refused) and failure.kind == "not_found":
        return Problem(
            Code.NOT_FOUND, f"{text} (workspace {workspace.label})", next_action="Check the id and the workspace."
        )
    if isinstance(failure, Refused) and failure.kind == "key":
        return Problem(
            Code.INTEGRATION_ERROR,
            f"{text} It is that of workspace {workspace.label}.",
            next_action=f"Ask the user to connect it anew: tallystick linear connect {workspace.label}",
        )
    return Problem(Code.INTEGRATION_ERROR, text)


def _choice(labels: list[str]) -> dict[str, Any]:
    named = f"{', '.join(labels[:-1])} or {labels[-1]}"
    return {
        "success": True,
        "message": f"Several Linear workspaces are connected. Pass workspace: {named}.",
        "disambiguation_required": True,
        "available_workspaces": labels,
    }


def _unreadable() -> Problem:
    log.exception("an answer of Linear's lacks what its schema promises")
    return Problem(Code.INTEGRATION_ERROR, "Linear's answer cannot be read.")
