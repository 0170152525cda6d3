"""schemas.json: the strict schemas that decide validity, each operation's beside the shared ones."""

from __future__ import annotations

from codegen.ir import Contract
from codegen.text import dump_json


def emit(contract: Contract) -> dict[str, str]:
    """Return schemas.json; operations that answer free JSON or text have no entry under "output"."""
    schemas = {
        "$defs": contract.defs,
        "input": {op.name: op.input_schema for op in contract.operations},
        "output": {
            op.name: op.output_schema
            for op in contract.operations
            if op.response_kind == "model" and op.output_schema is not None
        },
    }
    return {"tallystick_contract/schemas.json": dump_json(schemas)}
