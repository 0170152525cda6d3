"""Handler of the group batch: several calls in one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Protocol

from tallystick_contract.models import BatchCall, MemvaultBatchRequest, MemvaultBatchResponse

from ..caller import Caller
from ..context import Context
from ..problem import Problem

AT_ONCE = 4  # reads under way at a time


class Carry(Protocol):
    """Carries one call of a tool, as if it had come alone."""

    def writes(self, name: str, arguments: dict[str, Any]) -> bool:
        """Whether the call changes anything; False for a tool that is not there."""
        ...

    async def __call__(
        self, name: str, arguments: dict[str, Any], caller: Caller, operation_key: str | None
    ) -> dict[str, Any]:
        """The answer of the call; raises Problem. `operation_key` counts where the arguments bring none."""
        ...


class Batch:
    """Reads run in parallel, writes in their order; what comes before a write is answered before it begins."""

    def __init__(self, carry: Callable[[], Carry]) -> None:
        self._carry = carry

    async def memvault_batch(self, request: MemvaultBatchRequest, context: Context) -> MemvaultBatchResponse:
        carry, gate = self._carry(), asyncio.Semaphore(AT_ONCE)
        results: list[dict[str, Any]] = []
        waiting: list[BatchCall] = []

        async def read(call: BatchCall) -> dict[str, Any]:
            async with gate:
                return await _carried(carry, call, context.caller, None)

        async def reads() -> None:
            results.extend(await asyncio.gather(*map(read, waiting)))
            waiting.clear()

        for number, call in enumerate(request.calls):
            if carry.writes(call.name, call.arguments):
                await reads()
                key = _key(context.operation_key, number)
                results.append(await _carried(carry, call, context.caller, key))
            else:
                waiting.append(call)
        await reads()
        return MemvaultBatchResponse.model_validate({"results": results})


def _key(batch: str | None, number: int) -> str | None:
    """The operation key of one call, from that of the batch and the call's place in it; a hash, since a key may not grow."""
    return None if batch is None else f"batch-{sha256(f'{batch}#{number}'.encode()).hexdigest()}"


async def _carried(carry: Carry, call: BatchCall, caller: Caller, operation_key: str | None) -> dict[str, Any]:
    try:
        return {"name": call.name, "result": await carry(call.name, call.arguments, caller, operation_key)}
    except Problem as problem:
        error: dict[str, Any] = {
            "code": problem.code.value,
            "message": problem.message,
            "next_action": problem.next_action,
        }
        if problem.retry_after is not None:
            error["retry_after_seconds"] = problem.retry_after
        return {"name": call.name, "error": error}
