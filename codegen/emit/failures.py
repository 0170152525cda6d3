"""The error responses of the OpenAPI document: on REST every family has one form."""

from __future__ import annotations

from typing import Any

from codegen.ir import Contract, ErrorSpec, Op, Schema

FAILURE: dict[str, Schema] = {
    "ErrorDetail": {
        "type": "object",
        "description": "What went wrong and what to do about it.",
        "additionalProperties": False,
        "required": ["code", "message", "next_action", "help"],
        "properties": {
            "code": {"type": "string", "description": "The code, stable for programs."},
            "message": {"type": "string", "description": "What went wrong, for people."},
            "next_action": {"type": "string", "description": "What to do about it."},
            "help": {"type": "string", "description": "Where more is said."},
            "retry_after_seconds": {
                "type": "integer",
                "minimum": 0,
                "description": "How long to wait before trying again.",
            },
        },
    },
    "ErrorResponse": {
        "type": "object",
        "description": "The answer of a call that failed.",
        "additionalProperties": False,
        "required": ["error"],
        "properties": {"error": {"$ref": "#/$defs/ErrorDetail", "description": "The error."}},
    },
}


def failure_responses(op: Op, contract: Contract) -> dict[str, Any]:
    """Return the responses by status, each naming the codes that this operation answers with it."""
    by_status: dict[int, list[ErrorSpec]] = {}
    for code in op.errors:
        by_status.setdefault(contract.errors[code].status, []).append(contract.errors[code])
    return {str(status): _response(status, specs) for status, specs in sorted(by_status.items())}


def _response(status: int, specs: list[ErrorSpec]) -> dict[str, Any]:
    headers: dict[str, Any] = {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}}
    if status == 401:
        headers["WWW-Authenticate"] = {
            "description": "The scheme to authenticate with: Bearer.",
            "required": True,
            "schema": {"type": "string"},
        }
    if any(spec.retryable for spec in specs):
        headers["Retry-After"] = {"$ref": "#/components/headers/RetryAfter"}
    codes: Schema = {"properties": {"code": {"enum": [spec.code for spec in specs]}}}
    return {
        "description": " ".join(f"{spec.code}: {spec.message}" for spec in specs),
        "headers": headers,
        "content": {
            "application/json": {
                "schema": {
                    "allOf": [{"$ref": "#/components/schemas/ErrorResponse"}],
                    "properties": {"error": codes},
                },
                "examples": {spec.code: {"value": _example(spec)} for spec in specs},
            }
        },
    }


def _example(spec: ErrorSpec) -> dict[str, Any]:
    error = {"code": spec.code, "message": spec.message, "next_action": spec.next_action}
    return {"error": {**error, "help": f"get_help({spec.code})"}}
