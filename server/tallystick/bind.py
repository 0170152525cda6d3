"""Ties the handlers to the contract at start, and lists what is missing on either side with the text to paste."""

from __future__ import annotations

import inspect
import re
from typing import Any, get_origin, get_type_hints

from tallystick_contract.handlers import Handlers
from tallystick_contract.operations import OPERATIONS, Branch, Operation

from .audit import AuditLog
from .context import Context
from .endpoint import Endpoint
from .metrics import Metrics
from .part import Part, part_of
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
        parts: dict[str | None, Part] = {}
        for branch in operation.branches or (None,):
            name = operation.name if branch is None else branch.method
            handler, replay = getattr(group, name, None), getattr(group, f"replay_{name}", None)
            gap = _gap(operation, branch, handler, replay)
            if gap is None:
                assert handler is not None
                parts[None if branch is None else branch.value] = part_of(operation, branch, handler, replay, strict)
            elif gap not in gaps:
                gaps.append(gap)
        endpoints[operation.name] = Endpoint(operation, parts, store, audit, metrics, strict)
    gaps += _strays(handlers, operations)
    if gaps:
        raise Unbound("The contract and the handlers do not match.\n\n" + "\n\n".join(gaps))
    return endpoints


def _gap(operation: Operation, branch: Branch | None, handler: object, replay: object) -> str | None:
    """What is missing for one handler, with the text to add; None where nothing is."""
    of = operation if branch is None else branch
    name = operation.name if branch is None else branch.method
    where = f"server/tallystick/handlers/{operation.group}.py"
    if handler is None:
        return f"{where}: {name} is in the contract and has no handler. Add:\n\n{_method(operation, name)}"
    if inspect.iscoroutinefunction(handler) is not operation.outside:
        said = "waits on another service" if operation.outside else "waits on nothing"
        return f"{where}: {name} {said}. Write it so:\n\n{_method(operation, name)}"
    if of.not_kept and of.writes and replay is None:
        kept, method = ", ".join(of.not_kept), _method(operation, f"replay_{name}")
        return (
            f"{where}: {name} answers with {kept}, which are never kept, and nothing renders a replay. Add:\n\n{method}"
        )
    return None


def _method(operation: Operation, name: str) -> str:
    """A method of the generated interface, as a handler class writes it."""
    protocol = get_type_hints(getattr(Handlers, operation.group).fget)["return"]
    function = getattr(get_origin(protocol), name)
    signature = re.sub(r"models\.|'", "", str(inspect.signature(function))).replace("ContextT", "Context")
    return f"    {'async ' if inspect.iscoroutinefunction(function) else ''}def {name}{signature}:\n        ..."


def _strays(handlers: Any, operations: tuple[Operation, ...]) -> list[str]:
    names = {(operation.group, operation.name) for operation in operations}
    names |= {(operation.group, branch.method) for operation in operations for branch in operation.branches}
    gaps = []
    for group in sorted({operation.group for operation in operations}):
        for name, _ in inspect.getmembers(getattr(handlers, group, None), inspect.ismethod):
            if not name.startswith("_") and (group, name.removeprefix("replay_")) not in names:
                gaps.append(
                    f"server/tallystick/handlers/{group}.py: {name} is a handler of no operation. Write its contract "
                    f"(contracts/paths/{group}.yaml with operationId: {name}), rename it with a leading underscore, or delete it."
                )
    return gaps
