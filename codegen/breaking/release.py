"""What a released contract promises, in the form that contracts/baseline/ keeps: operations, schemas, errors, scopes.

Words for people (titles, descriptions, examples) are left out: they may change at any time.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from codegen.generate import read_contract
from codegen.ir import Contract, Json, Op, Schema
from codegen.load import load
from codegen.place import ContractError, fault
from codegen.resolve import shared_schemas
from codegen.text import dump_json
from codegen.walk import rebuild

FILE = Path("baseline") / "contract.json"  # below the contract's folder
WORDS = ("title", "description", "examples", "example", "deprecated", "discriminator")


@dataclass(frozen=True)
class Part:
    """What one kind of call takes and answers: an operation as a whole, or one branch of a split one."""

    input: Schema
    output: Schema | None


@dataclass(frozen=True)
class Call:
    """What clients rely on of one operation."""

    name: str
    file: str  # that declares schemas and errors
    route_file: str
    method: str
    path: str
    status: int
    family: str
    arguments: str
    tool: bool
    public: bool
    writes: bool
    branch: str | None  # the argument whose value chooses among branches
    scopes: dict[str, list[str]]  # by that value; "" is the operation, or leaving it out
    annotations: dict[str, bool]
    errors: list[str]
    parameters: dict[str, str]  # in the URL: name -> "path" or "query"
    body: str | None
    media: list[str]
    max_body: int | None
    produces: str
    location: bool
    parts: dict[str, Part]  # by the value of the branch argument; "" where the operation is not split


@dataclass(frozen=True)
class Code:
    """What clients rely on of one error code."""

    status: int
    retryable: bool


@dataclass(frozen=True)
class Release:
    """A whole contract as clients see it."""

    version: str
    calls: dict[str, Call]
    errors: dict[str, Code]
    scopes: list[str]
    schemas: dict[str, Schema]  # shared schemas, which references of the form #/$defs/<Name> lead to
    files: dict[str, str]  # of the shared schemas


def read_release(root: Path) -> Release:
    """Return what the contract below `root` promises. Raises ContractError where it is not right."""
    files = {name: f"contracts/{place.file}" for name, place in shared_schemas(load(root)).items()}
    return released(read_contract(root), files)


def released(contract: Contract, files: dict[str, str]) -> Release:
    """Return what a contract promises; `files` says where its shared schemas are written."""
    return Release(
        version=str(contract.info.get("version", "")),
        calls={op.name: _call(op) for op in contract.operations},
        errors={code: Code(spec.status, spec.retryable) for code, spec in contract.errors.items()},
        scopes=list(contract.scopes),
        schemas={name: bare(schema) for name, schema in contract.defs.items()},
        files=files,
    )


def read_baseline(root: Path) -> Release:
    """Return the baseline of the contract below `root`. Raises ContractError where it is missing or damaged."""
    path = root / FILE
    place = f"contracts/{FILE.as_posix()}"
    try:
        return _parsed(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        raise ContractError(fault(place, "missing; write it with `python -m codegen baseline`")) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        text = f"no baseline that this generator can read ({error}); take the last release's, or write it anew with"
        raise ContractError(fault(place, f"{text} `python -m codegen baseline`")) from error


def write_baseline(release: Release, root: Path) -> bool:
    """Write the release as the baseline of the contract below `root`; return whether that changed the file."""
    path = root / FILE
    text = dump_json(asdict(release))
    if path.is_file() and path.read_text("utf-8") == text:
        return False
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8", newline="\n")
    return True


def bare(schema: Json) -> Json:
    """Return the schema without words for people."""
    if not isinstance(schema, dict):
        return schema
    return rebuild({key: value for key, value in schema.items() if key not in WORDS}, bare)


def _call(op: Op) -> Call:
    scopes = {"": list(op.scopes)} | {branch.value or "": list(branch.op.scopes) for branch in op.branches}
    parts = {branch.value or "": branch.op for branch in op.branches} if op.split else {"": op}
    return Call(
        name=op.name,
        file=op.source.as_posix(),
        route_file=op.route_source.as_posix(),
        method=op.method,
        path=op.path,
        status=op.status,
        family=op.family,
        arguments=op.arguments,
        tool=op.tool,
        public=op.public,
        writes=op.writes,
        branch=op.branch,
        scopes=scopes,
        annotations=op.annotations,
        errors=list(op.errors),
        parameters={param.name: param.where for param in op.parameters},
        body=op.body,
        media=list(op.media),
        max_body=op.max_body,
        produces=op.produces,
        location=op.location is not None,
        parts={value: Part(bare(part.input_schema), bare(part.output_schema)) for value, part in parts.items()},
    )


def _parsed(document: dict[str, Any]) -> Release:
    calls = {
        name: Call(**{**call, "parts": {value: Part(**part) for value, part in call["parts"].items()}})
        for name, call in document["calls"].items()
    }
    errors = {code: Code(**error) for code, error in document["errors"].items()}
    return Release(**{**document, "calls": calls, "errors": errors})
