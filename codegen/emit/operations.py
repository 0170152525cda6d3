"""operations.py: the operation table, which REST routes and MCP tools are made from."""

from __future__ import annotations

from codegen.implied import OPERATION_KEY
from codegen.ir import Branch, Contract, Op
from codegen.text import HEADER, format_python

_HEAD = '''"""The operation table: every operation of the contract, as the transports need it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from tallystick_contract import models
from tallystick_contract.errors import Code


@dataclass(frozen=True, slots=True)
class Parameter:
    """A part of the request that travels in the URL; `type` says how its text is parsed."""

    name: str
    where: Literal["path", "query"]
    type: Literal["string", "integer", "boolean", "array"]


@dataclass(frozen=True, slots=True)
class Branch:
    """What one value of the argument `Operation.branch` makes of a call: who may make it, and who answers it."""

    value: str | None  # None: the argument is left out
    method: str  # the handler method; documents.py has the strict schemas of a branch under this name
    scopes: tuple[str, ...]  # all that the call needs
    writes: bool
    not_kept: tuple[str, ...]
    request: type[BaseModel]
    response: type[BaseModel] | None


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: a REST route and, where `tool` is true, an MCP tool, with one handler method for both."""

    name: str
    group: str
    method: str
    path: str
    status: int  # of success
    family: Literal["nexus", "memvault", "recall", "rest"]  # decides the form of errors on MCP
    arguments: Literal["flat", "data"]  # data: MCP wraps the request in an object "data"
    tool: bool
    scopes: tuple[str, ...]  # that every call needs; with branches, see there for the rest
    public: bool
    writes: bool  # with branches: some of them do
    composite: bool  # its handler only carries other calls, each with a unit of work and a receipt of its own
    outside: bool  # its handler is async and waits for another service, without a unit of work
    parameters: tuple[Parameter, ...]
    body: str | None  # None: no body; "*": its members are request properties; else the property that is the body
    media: tuple[str, ...]  # media types that the body may have
    max_body: int | None  # bytes that the body may have; None: the server's usual limit
    produces: str
    location: str | None  # the Location header, with {names} to fill from the answer
    errors: tuple[Code, ...]  # every code that it may answer
    not_kept: tuple[str, ...]  # properties of the answer that are never kept for a replay
    request: type[BaseModel]
    response: type[BaseModel] | None  # None: the handler returns text, or free JSON as a dict, or see branches
    branch: str | None  # the argument whose value chooses among branches
    branches: tuple[Branch, ...]


'''


def emit(contract: Contract) -> dict[str, str]:
    """Return operations.py."""
    rows = "\n".join(_row(op) for op in contract.operations)
    text = (
        f"{HEADER}{_HEAD}OPERATIONS: tuple[Operation, ...] = (\n{rows}\n)\n\n"
        f"SCOPES: dict[str, str] = {contract.scopes!r}\n\n"
        f"OPERATION_KEY: dict[str, Any] = {OPERATION_KEY!r}\n\n"
        f"INSTRUCTIONS = {contract.instructions.strip()!r}\n"
    )
    return {"tallystick_contract/operations.py": format_python(text)}


def _row(op: Op) -> str:
    parameters = "".join(
        f"Parameter(name={param.name!r}, where={param.where!r}, type={param.type!r})," for param in op.parameters
    )
    errors = "".join(f"Code.{code}," for code in op.errors)
    branches = "".join(_branch(branch) for branch in op.branches)
    response = _model(op.response_name)
    return (
        f"Operation(name={op.name!r}, group={op.group!r}, method={op.method!r}, path={op.path!r}, status={op.status},"
        f" family={op.family!r}, arguments={op.arguments!r}, tool={op.tool}, scopes={op.scopes!r}, public={op.public},"
        f" writes={op.writes}, composite={op.composite}, outside={op.outside}, parameters=({parameters}), body={op.body!r},"
        f" media={op.media!r}, max_body={op.max_body!r},"
        f" produces={op.produces!r}, location={op.location!r}, errors=({errors}), not_kept={op.not_kept!r},"
        f" request=models.{op.request_name},"
        f" response={response}, branch={op.branch!r}, branches=({branches}),),"
    )


def _branch(branch: Branch) -> str:
    op = branch.op
    return (
        f"Branch(value={branch.value!r}, method={op.name!r}, scopes={op.scopes!r}, writes={op.writes},"
        f" not_kept={op.not_kept!r}, request=models.{op.request_name}, response={_model(op.response_name)},),"
    )


def _model(name: str | None) -> str:
    return f"models.{name}" if name else "None"
