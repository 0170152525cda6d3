"""schemas.json: the strict schemas that decide validity, each operation's beside the shared ones."""

from __future__ import annotations

from codegen.ir import Contract
from codegen.text import dump_json


def emit(contract: Contract) -> dict[str, str]:
    """Return schemas.json; operations that answer free JSON or text have no entry under "output".

    A split operation has its whole schemas under its own name, and those of each branch under the handler's.
    """
    found = [one for op in contract.operations for one in ((op, *op.parts) if op.split else (op,))]
    schemas = {
        "$defs": contract.defs,
        "input": {one.name: one.input_schema for one in found},
        "output": {
            one.name: one.output_schema
            for one in found
            if (one.response_kind == "model" or one.split) and one.output_schema is not None
        },
    }
    return {"tallystick_contract/schemas.json": dump_json(schemas)}
