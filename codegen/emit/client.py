"""python-client/: the Python client. Its synchronous and asynchronous halves come from the same templates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from codegen.emit.client_calls import Method, class_name, docstring, methods_of, wrapped
from codegen.emit.models import generate_models
from codegen.ir import Contract, Schema
from codegen.shape import flat, reachable
from codegen.text import HEADER, MARK, format_python

FOLDER = "python-client"
PACKAGE = f"{FOLDER}/tallystick_client"

_SYNC = {
    "is_async": False,
    "prefix": "",
    "transport_module": "_transport",
    "def": "def",
    "await": "",
    "http": "httpx.Client",
    "http_transport": "httpx.BaseTransport",
}
_ASYNC = {
    "is_async": True,
    "prefix": "Async",
    "transport_module": "_async_transport",
    "def": "async def",
    "await": "await ",
    "http": "httpx.AsyncClient",
    "http_transport": "httpx.AsyncBaseTransport",
}
# File, template, values beside the contract's.
_FILES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("__init__.py", "client_init.py.jinja", {}),
    ("_base.py", "client_base.py.jinja", {}),
    ("_wire.py", "client_wire.py.jinja", {}),
    ("errors.py", "client_errors.py.jinja", {}),
    ("_transport.py", "client_transport.py.jinja", _SYNC),
    ("_async_transport.py", "client_transport.py.jinja", _ASYNC),
    ("_client.py", "client.py.jinja", _SYNC),
    ("_async_client.py", "client.py.jinja", _ASYNC),
)


@dataclass(frozen=True)
class Group:
    """One group as an attribute of the client."""

    name: str
    class_name: str
    description: str
    docstring: str
    methods: tuple[Method, ...]


@dataclass(frozen=True)
class ErrorClass:
    """One code as an exception."""

    code: str
    class_name: str
    status: int
    docstring: str


def emit(contract: Contract) -> dict[str, str]:
    """Return the package tallystick_client and its README; the distribution's pyproject.toml is written by hand."""
    values = {
        "mark": MARK,
        "version": contract.info["version"],
        "groups": [_group(name, contract) for name in sorted({op.group for op in contract.operations})],
        "errors": [
            ErrorClass(
                spec.code, class_name(spec.code), spec.status, docstring(wrapped(f"{spec.code}: {spec.message}"))
            )
            for spec in contract.errors.values()
        ],
    }
    templates = environment()
    files = {
        f"{PACKAGE}/{file}": format_python(HEADER + templates.get_template(template).render(values, **more))
        for file, template, more in _FILES
    }
    files[f"{PACKAGE}/models.py"] = generate_models(
        answers(contract), "tallystick_client._base.Model", HEADER, closed=False
    )
    files[f"{PACKAGE}/py.typed"] = ""
    files[f"{FOLDER}/README.md"] = templates.get_template("client_readme.md.jinja").render(values).rstrip() + "\n"
    return dict(sorted(files.items()))


def environment() -> Environment:
    """Return the templates beside this file; a name that is not given is an error."""
    return Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Python and Markdown, no HTML
    )


def answers(contract: Contract) -> Contract:
    """Return a contract of shared schemas only: the answers, and what arguments refer to; requests are no models."""
    parts = [part for op in contract.operations for part in op.parts]
    found = {
        op.response_name: {"description": f"What {op.name} answers.", **flat(op.output_schema or {}, contract.defs)}
        for op in parts
        if op.response_name is not None and op.response_name not in contract.defs
    }
    shared_answers = {op.response_name for op in parts if op.response_name in contract.defs}
    uses: list[Schema] = [{"$ref": f"#/$defs/{name}"} for name in shared_answers]
    uses += [*found.values(), *(op.input_schema for op in contract.operations)]
    defs = {**reachable(uses, contract.defs), **found}
    return replace(contract, operations=(), defs=dict(sorted(defs.items())))


def _group(name: str, contract: Contract) -> Group:
    methods = tuple(made for op in contract.operations if op.group == name for made in methods_of(op, contract))
    description = contract.groups.get(name, name)
    return Group(name, class_name(name), description, docstring(wrapped(description)), methods)
