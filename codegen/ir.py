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
    composite: bool = False  # it only carries other calls, each with a unit of work and a receipt of its own
    outside: bool = False  # its handler is async and waits for another service, without a unit of work
    max_body: int | None = None  # bytes that the body may have, where that is not the server's usual limit
    branch: str | None = None  # the argument whose value chooses among `branches`
    branches: tuple[Branch, ...] = ()  # in the order of the contract; `scopes` above are then those that all need

    @property
    def split(self) -> bool:
        """Whether each branch has arguments, an answer and a handler of its own, and not scopes alone."""
        return any(branch.op.name != self.name for branch in self.branches)

    @property
    def parts(self) -> tuple[Op, ...]:
        """What has a handler method of its own: the branches of a split operation, else the operation itself."""
        return tuple(branch.op for branch in self.branches) if self.split else (self,)

    @property
    def all_scopes(self) -> tuple[str, ...]:
        """Every scope that some call of the operation needs."""
        found = [*self.scopes, *(scope for branch in self.branches for scope in branch.op.scopes)]
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Branch:
    """What one value of the argument `Op.branch` makes of an operation.

    `op` is the operation as far as the branch goes. In a split operation it has a name of its own, `<operation>_<value>`,
    with its own schemas, models and examples; otherwise only its scopes differ.
    """

    value: str | None  # None: the argument is left out
    op: Op


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
    linear: dict[str, str] = field(default_factory=dict)  # what is sent to Linear, by operation
    servers: tuple[dict[str, Any], ...] = ()  # OpenAPI server objects
    security_schemes: dict[str, Any] = field(default_factory=dict)  # OpenAPI security schemes

    def operation(self, name: str) -> Op:
        """Return the operation of that name; KeyError if there is none."""
        for op in self.operations:
            if op.name == name:
                return op
        raise KeyError(name)
