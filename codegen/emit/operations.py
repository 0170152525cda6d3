"""operations.py: the operation table, which REST routes and MCP tools are made from."""

from __future__ import annotations

from codegen.implied import OPERATION_KEY
from codegen.ir import Contract, Op
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
    scopes: tuple[str, ...]
    public: bool
    writes: bool
    parameters: tuple[Parameter, ...]
    body: str | None  # None: no body; "*": its members are request properties; else the property that is the body
    media: tuple[str, ...]  # media types that the body may have
    produces: str
    location: str | None  # the Location header, with {names} to fill from the answer
    errors: tuple[Code, ...]  # every code that it may answer
    not_kept: tuple[str, ...]  # properties of the answer that are never kept for a replay
    request: type[BaseModel]
    response: type[BaseModel] | None  # None: the handler returns text, or free JSON as a dict


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
    response = f"models.{op.response_name}" if op.response_name else "None"
    return (
        f"Operation(name={op.name!r}, group={op.group!r}, method={op.method!r}, path={op.path!r}, status={op.status},"
        f" family={op.family!r}, arguments={op.arguments!r}, tool={op.tool}, scopes={op.scopes!r}, public={op.public},"
        f" writes={op.writes}, parameters=({parameters}), body={op.body!r}, media={op.media!r},"
        f" produces={op.produces!r}, location={op.location!r}, errors=({errors}), not_kept={op.not_kept!r},"
        f" request=models.{op.request_name},"
        f" response={response},),"
    )
