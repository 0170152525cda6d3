"""The one exception by which an operation fails, and the wire form of each tool family."""

from __future__ import annotations

from typing import Any, Literal

from tallystick_contract.errors import ERRORS, Code

Family = Literal["nexus", "memvault", "recall", "rest"]


class Problem(Exception):
    """An operation failed in a way its contract declares.

    Args:
        code: an entry of the error catalogue; it gives status, and message and next action where none are given.
        message: what was wrong and where, for people.
        next_action: what to do next.
        retry_after: seconds after which a retry makes sense.
    """

    def __init__(
        self, code: Code, message: str | None = None, *, next_action: str | None = None, retry_after: int | None = None
    ) -> None:
        spec = ERRORS[code]
        super().__init__(message or spec.message)
        self.code = code
        self.status = spec.status
        self.message = message or spec.message
        self.next_action = next_action or spec.next_action
        self.retry_after = retry_after

    @classmethod
    def unknown(cls, message: str) -> Problem:
        """A change in another service of which nobody knows whether it was made."""
        advice = (
            "Look there whether it was made, before anything else. Under the same operation key it is not sent again."
        )
        return cls(Code.INTEGRATION_ERROR, message, next_action=advice)

    def wire(self, family: Family) -> dict[str, Any]:
        """The error object in the form of a tool family (REST always asks for `rest`)."""
        if family == "nexus":
            return {"error": True, "message": self.message, "code": self.code.value, "suggestion": self.next_action}
        if family == "memvault":
            return {"error": {"code": self.code.value, "message": self.message}}
        error: dict[str, Any] = {
            "code": self.code.value,
            "message": self.message,
            "next_action": self.next_action,
            "help": f"get_help with topic {self.code.value}, or GET /v1/help/{self.code.value}",
        }
        if self.retry_after is not None:
            error["retry_after_seconds"] = self.retry_after
        return {"error": error}
