"""linear.json: what is sent to Linear for each operation, by its name."""

from __future__ import annotations

from codegen.ir import Contract
from codegen.text import dump_json


def emit(contract: Contract) -> dict[str, str]:
    """Return linear.json: operation name -> document."""
    return {"tallystick_contract/linear.json": dump_json(contract.linear)}
