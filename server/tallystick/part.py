"""What answers a call: an operation as a whole, or the branch of it that an argument chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from tallystick_contract.documents import input_schema, output_schema
from tallystick_contract.errors import Code
from tallystick_contract.operations import Branch, Operation

from .context import Context
from .problem import Problem
from .validity import Schema

Handler = Callable[[Any, Context], Any]  # a coroutine where the operation waits
Replay = Callable[[dict[str, Any], Context], BaseModel]


@dataclass(frozen=True, slots=True)
class Part:
    """One handler with its part of the contract.

    Attributes:
        schema: decides whether the arguments are valid.
        scopes: all that a call needs.
        writes: whether it opens a transaction and takes an operation key.
        not_kept: properties of the answer that an operation row never keeps.
        request: the model of the arguments.
        handler: the bound method.
        replay: renders the answer of a replayed call, where parts of it are not kept.
        response: checks answers in strict mode; None for text and free JSON.
    """

    schema: Schema
    scopes: frozenset[str]
    writes: bool
    not_kept: tuple[str, ...]
    request: type[BaseModel]
    handler: Handler
    replay: Replay | None
    response: Schema | None


class Parts:
    """The parts of one operation, and which of them a call is for."""

    def __init__(self, operation: Operation, parts: Mapping[str | None, Part]) -> None:
        self._operation = operation
        self._parts = dict(parts)

    def of(self, raw: Mapping[str, Any]) -> Part:
        """The part that a call with these arguments is for.

        Raises:
            Problem: INVALID_PARAMS where the argument that chooses has none of the known values.
        """
        branch = self._operation.branch
        value = raw.get(branch) if branch is not None else None
        part = self._parts.get(value) if value is None or isinstance(value, str) else None
        if part is None:
            known = ", ".join(name for name in self._parts if name is not None)
            raise Problem(Code.INVALID_PARAMS, f"/{branch}: the value must be one of {known}.")
        return part

    def writes(self, raw: Mapping[str, Any]) -> bool:
        """Whether a call with these arguments changes anything; True where that cannot be told."""
        try:
            return self.of(raw).writes
        except Problem:
            return self._operation.writes


def part_of(operation: Operation, branch: Branch | None, handler: Handler, replay: Replay | None, strict: bool) -> Part:
    """The part of an operation that `branch` makes, or the whole of it."""
    if branch is None:
        checked = strict and operation.response is not None
        return Part(
            Schema(input_schema(operation.name)), frozenset(operation.scopes), operation.writes, operation.not_kept,
            operation.request, handler, replay, Schema(output_schema(operation.name)) if checked else None,
        )  # fmt: skip
    checked = strict and branch.response is not None
    return Part(
        Schema(input_schema(branch.method)), frozenset(branch.scopes), branch.writes, branch.not_kept,
        branch.request, handler, replay, Schema(output_schema(branch.method)) if checked else None,
    )  # fmt: skip
