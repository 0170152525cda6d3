"""What a handler is given beside its request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .caller import Caller
from .errand import Errand
from .store import Unit


@dataclass(slots=True)
class Context:
    """One call, as its handler sees it.

    Attributes:
        caller: who calls.
        unit: the open unit of work, scoped to the caller's user: a transaction for writes, a snapshot for reads.
        now: the time of the call, UTC.
        operation_key: the idempotency key of the call; only what carries other calls has to look at it.
        errand: of handlers that wait on another service, which have no open unit of work.
        subject: set by a handler to the id of the record the call is about, for the operation and audit rows.
    """

    caller: Caller
    unit: Unit
    now: datetime
    operation_key: str | None = None
    subject: str | None = None
    errand: Errand = None  # type: ignore[assignment]  # every handler that waits has one
