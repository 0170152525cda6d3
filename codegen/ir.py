"""The intermediate form of the contract: what every lint rule and every emitter reads.

`load.py` reads the YAML files and resolves their references, `build.py` makes a `Contract` of them. Whoever adds an
emitter needs this page only. Everything is sorted, so that the output never depends on the order of files or hashes.
Schemas are plain dicts; a reference in them always has the form `#/$defs/<Name>` and names an entry of `Contract.defs`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Json = Any  # whatever JSON can say
Schema = dict[str, Any]
Family = Literal["nexus", "memvault", "recall", "rest"]


@dataclass(frozen=True)
class Param:
    """One path or query parameter; the rest of the request's properties travel in the body."""

    name: str
    where: Literal["path", "query"]
    type: str  # "string", "integer", "boolean" or "array": how the text of a URL is parsed
    required: bool
    schema: Schema
    description: str


@dataclass(frozen=True)
class Example:
    """One call that the tests run over REST and MCP; `error` is set where the call must fail."""

    name: str
    description: str
    needs: tuple[str, ...]  # fixtures of contracts/fixtures.yaml that must exist before the call
    input: dict[str, Any]  # flat: path, query and body merged, without the "data" wrapper
    output: dict[str, Any] | None
    error: str | None


@dataclass(frozen=True)
class ErrorSpec:
    """One entry of contracts/errors.yaml."""

    code: str
    status: int
    retryable: bool
    message: str
    next_action: str
    help: str


@dataclass(frozen=True)
class Op:
    """One operation: a REST route and, where `tool` is true, an MCP tool, with one handler method for both."""

    name: str
    group: str
    method: str  # upper case
    path: str
    status: int  # of success
    family: Family
    arguments: Literal["flat", "data"]  # how MCP carries them
    tool: bool
    title: str
    summary: str
    description: str
    scopes: tuple[str, ...]
    public: bool
    writes: bool
    annotations: dict[str, bool]
    justifications: dict[str, str]
    declared_errors: tuple[str, ...]
    errors: tuple[str, ...]  # declared and implied, sorted
    parameters: tuple[Param, ...]
    body: str | None  # None: no body; "*": its members are request properties; else the property that is the body
    media: tuple[str, ...]  # accepted media types of the body
    produces: str
    location: str | None  # template of the Location header, filled from the answer
    links: dict[str, Any]  # OpenAPI links of the successful answer
    request_name: str
    response_name: str | None
    response_kind: Literal["model", "json", "text"]
    input_schema: Schema  # strict
    output_schema: Schema | None  # strict; a write's has `replayed` and `operation`
    examples: tuple[Example, ...]
    not_kept: tuple[str, ...]  # top-level answer properties that an operation row never keeps
    source: Path  # the file that declares schemas, errors and examples
    route_source: Path  # the file with the path item
    answer: str = ""  # what the answer of success is, in words
    as_printed: bool = False  # its advertised schemas are those that its documentation prints, descriptions or not


@dataclass(frozen=True)
class Contract:
    """The whole contract, resolved."""

    operations: tuple[Op, ...]  # sorted by name
    defs: dict[str, Schema]  # shared schemas by model name, sorted
    errors: dict[str, ErrorSpec]  # sorted by code
    scopes: dict[str, str]  # scope -> what it allows, in the order of openapi.yaml
    groups: dict[str, str]  # group (tag) -> description, in the order of openapi.yaml
    instructions: str  # served by MCP initialize
    info: dict[str, Any]  # OpenAPI info object
    help: dict[str, Any] = field(default_factory=dict)  # topics of contracts/help.yaml
    servers: tuple[dict[str, Any], ...] = ()  # OpenAPI server objects
    security_schemes: dict[str, Any] = field(default_factory=dict)  # OpenAPI security schemes

    def operation(self, name: str) -> Op:
        """Return the operation of that name; KeyError if there is none."""
        for op in self.operations:
            if op.name == name:
                return op
        raise KeyError(name)
