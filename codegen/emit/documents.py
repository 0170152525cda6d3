"""documents.py, __init__.py and py.typed: how a server reads the JSON files of the package."""

from __future__ import annotations

from codegen.ir import Contract
from codegen.text import HEADER, format_python

_INIT = '"""The server\'s half of the contract: operations, handler protocols, models, errors and documents."""\n'

_DOCUMENTS = '''"""The JSON documents of the contract, read once from the package."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


def load_tools() -> list[dict[str, Any]]:
    """Return what MCP tools/list serves. The value is shared: copy before changing it."""
    tools: list[dict[str, Any]] = _load("tools.json")
    return tools


def load_openapi() -> dict[str, Any]:
    """Return the OpenAPI 3.1 document. The value is shared: copy before changing it."""
    return _object("openapi.json")


def load_help() -> dict[str, Any]:
    """Return what get_help answers from: tools, errors and topics. The value is shared: copy before changing it."""
    return _object("help.json")


def load_linear() -> dict[str, str]:
    """Return what is sent to Linear for each operation, by its name. The value is shared."""
    return _object("linear.json")


def input_schema(name: str) -> dict[str, Any]:
    """Return the strict schema of an operation's request, self-contained; KeyError for an unknown operation.

    The name of a branch's handler gives what that branch takes.
    """
    return _standalone(_object("schemas.json")["input"][name])


def output_schema(name: str) -> dict[str, Any]:
    """Return the strict schema of an operation's answer, self-contained; KeyError where that is text or free JSON.

    The name of a branch's handler gives what that branch answers.
    """
    return _standalone(_object("schemas.json")["output"][name])


def shared_schema(name: str) -> dict[str, Any]:
    """Return the strict schema of that name that operations and files share, self-contained; KeyError for an unknown one."""
    return _standalone(_object("schemas.json")["$defs"][name])


def _standalone(schema: dict[str, Any]) -> dict[str, Any]:
    defs: dict[str, Any] = _object("schemas.json")["$defs"]
    needed: set[str] = set()
    waiting: list[Any] = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            waiting += node.values()
            name = str(node.get("$ref", "")).removeprefix("#/$defs/")
            if name in defs and name not in needed:
                needed.add(name)
                waiting.append(defs[name])
    return {**schema, "$defs": {name: defs[name] for name in sorted(needed)}} if needed else schema


def _object(name: str) -> dict[str, Any]:
    value: dict[str, Any] = _load(name)
    return value


@cache
def _load(name: str) -> Any:
    return json.loads(files("tallystick_contract").joinpath(name).read_text("utf-8"))
'''


def emit(contract: Contract) -> dict[str, str]:
    """Return the three files; they say the same for every contract."""
    return {
        "tallystick_contract/__init__.py": HEADER + _INIT,
        "tallystick_contract/documents.py": format_python(HEADER + _DOCUMENTS),
        "tallystick_contract/py.typed": "",
    }
