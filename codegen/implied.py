"""What the contract implies and nobody writes by hand: general errors, and what every write takes and answers."""

from __future__ import annotations

from typing import Any

from codegen.ir import Schema
from codegen.place import ContractError, Place, fault

OPERATION_KEY: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": 128,
    "pattern": "^[!-~]+$",
    "description": "Optional key of this write, 1 to 128 visible ASCII characters. Repeating the call with the same key and arguments"
    " replays the first answer instead of writing again; the same key with other arguments is CONFLICT.",
}


def is_write(annotations: dict[str, Any]) -> bool:
    """Say whether an operation changes state; an operation that does not say so is taken for a write."""
    return annotations.get("readOnlyHint") is not True


def implied_errors(*, public: bool, writes: bool, body: bool) -> tuple[str, ...]:
    """Return the codes that an operation may answer without declaring them."""
    codes = ["INVALID_PARAMS", "INTERNAL_ERROR", "STORE_BUSY"]
    if not public:
        codes += ["UNAUTHENTICATED", "PERMISSION_DENIED"]
    if body:
        codes += ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"]
    if writes:
        codes += ["CONFLICT", "STORE_FULL"]
    return tuple(codes)


def with_receipt(output: Schema | None, defs: dict[str, Schema], place: Place) -> Schema:
    """Return a write's answer with the two properties that a replay adds. Raises ContractError where it has no room."""
    if output is None or "properties" not in output:
        raise ContractError(fault(place, "a write answers an object with properties; add them to its schema"))
    if "Operation" not in defs:
        raise ContractError(
            fault(place, "a write needs the shared schema Operation; add it to contracts/schemas/operation.yaml#/$defs")
        )
    for name in ("replayed", "operation"):
        if name in output["properties"]:
            raise ContractError(fault(place, f"codegen gives `{name}` to the answer of every write; take it out"))
    return {
        **output,
        "properties": {
            **output["properties"],
            "replayed": {
                "type": "boolean",
                "description": "True where this answer repeats that of an earlier call with the same operation key.",
            },
            "operation": {
                "$ref": "#/$defs/Operation",
                "description": "The earlier call that this answer repeats; only beside replayed.",
            },
        },
    }
