"""tools.json: the list that MCP tools/list serves, verbatim."""

from __future__ import annotations

from typing import Any

from codegen.advertise import advertised_input, advertised_output
from codegen.ir import Contract, Op
from codegen.text import dump_json


def emit(contract: Contract) -> dict[str, str]:
    """Return tools.json, sorted by name."""
    return {"tallystick_contract/tools.json": dump_json([tool(op, contract) for op in contract.operations if op.tool])}


def tool(op: Op, contract: Contract) -> dict[str, Any]:
    """Return one entry of tools/list.

    Scopes stand in `_meta`, since clients drop top-level keys that they do not know; oauth2 is added by the server
    where an issuer is configured.
    """
    return {
        "name": op.name,
        "title": op.title,
        "description": op.description,
        "inputSchema": advertised_input(op, contract),
        "outputSchema": advertised_output(op, contract),
        "annotations": op.annotations,
        "_meta": {"tallystick/scopes": list(op.all_scopes), "tallystick/family": op.family},
    }
