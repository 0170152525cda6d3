"""What a failure at Linear is to the caller of an operation."""

from __future__ import annotations

from tallystick_contract.errors import Code

from ..linear import LinearFailure
from ..problem import Problem

DEFAULT_WAIT = 60  # seconds, where Linear limits requests and does not say for how long

ADVICE = {
    "unauthenticated": "Ask the user to connect the workspace anew, with a key that Linear takes (tallystick linear connect LABEL).",
    "unavailable": "Nothing was changed. Try again later.",
    "refused": "Nothing was changed. Correct what Linear names and call again.",
    "not_found": "Take ids and identifiers from answers of integration_query, of the same workspace.",
    "conflict": "Nothing was changed. Read what is there first.",
}


def problem_of(failure: LinearFailure) -> Problem:
    """The problem that tells a caller of it, in Linear's words where it had some."""
    if failure.kind == "unknown":
        return Problem.unknown(failure.message)
    if failure.kind == "rate_limited":
        wait = DEFAULT_WAIT if failure.retry_after is None else max(1, failure.retry_after)
        return Problem(Code.RATE_LIMITED, f"Linear: {failure.message}", retry_after=wait)
    code = Code.NOT_FOUND if failure.kind == "not_found" else Code.INTEGRATION_ERROR
    return Problem(code, f"Linear: {failure.message}", next_action=ADVICE[failure.kind])
