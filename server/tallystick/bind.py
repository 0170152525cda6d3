"""Ties the handlers to the contract at start, and lists what is missing on either side with the text to paste."""

from __future__ import annotations

import inspect
from typing import Any

from tallystick_contract.handlers import Handlers
from tallystick_contract.operations import OPERATIONS, Operation

from .audit import AuditLog
from .context import Context
from .endpoint import Endpoint
from .metrics import Metrics
from .store import Store


class Unbound(Exception):
    """Contract and handlers do not match; the text lists each gap and how to close it."""


def bind(
    handlers: Handlers[Context],
    store: Store,
    audit: AuditLog,
    metrics: Metrics,
    *,
    strict: bool,
    operations: tuple[Operation, ...] = OPERATIONS,
) -> dict[str, Endpoint]:
    """One Endpoint for each operation of the table, by name.

    Raises:
        Unbound: an operation has no handler method, or a public handler method has no operation.
    """
    gaps: list[str] = []
    endpoints: dict[str, Endpoint] = {}
    for operation in operations:
        group = getattr(handlers, operation.group, None)
        method = getattr(group, operation.name, None)
        replay = getattr(group, f"replay_{operation.name}", None)
        where = f"server/tallystick/handlers/{operation.group}.py"
        if method is None:
            gaps.append(f"{where}: {operation.name} is in the contract and has no handler. Add:\n\n{stub(operation)}")
        elif operation.not_kept and operation.writes and replay is None:
            kept = ", ".join(operation.not_kept)
            gaps.append(
                f"{where}: {operation.name} answers with {kept}, which are never kept, and nothing renders a replay. Add:\n\n"
                f"    def replay_{operation.name}(self, answer: dict[str, Any], context: Context) -> "
                f"{_response(operation)}:\n        ..."
            )
        else:
            endpoints[operation.name] = Endpoint(operation, method, replay, store, audit, metrics, strict)
    gaps += _strays(handlers, operations)
    if gaps:
        raise Unbound("The contract and the handlers do not match.\n\n" + "\n\n".join(gaps))
    return endpoints


def stub(operation: Operation) -> str:
    """The handler method an operation asks for, ready to paste."""
    return (
        f"    def {operation.name}(self, request: {operation.request.__name__}, context: Context) -> "
        f"{_response(operation)}:\n        ..."
    )


def _response(operation: Operation) -> str:
    if operation.response is not None:
        return operation.response.__name__
    return "dict[str, Any]" if operation.produces == "application/json" else "str"


def _strays(handlers: Any, operations: tuple[Operation, ...]) -> list[str]:
    names = {(operation.group, operation.name) for operation in operations}
    gaps = []
    for group in sorted({operation.group for operation in operations}):
        for name, _ in inspect.getmembers(getattr(handlers, group, None), inspect.ismethod):
            if not name.startswith("_") and (group, name.removeprefix("replay_")) not in names:
                gaps.append(
                    f"server/tallystick/handlers/{group}.py: {name} is a handler of no operation. Write its contract "
                    f"(contracts/paths/{group}.yaml with operationId: {name}), rename it with a leading underscore, or delete it."
                )
    return gaps
