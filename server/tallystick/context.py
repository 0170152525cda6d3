"""What a handler is given beside its request."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime

from .caller import Caller
from .store import Store, Unit


@dataclass(slots=True)
class Context:
    """One call, as its handler sees it.

    Attributes:
        caller: who calls.
        unit: the open unit of work, scoped to the caller's user: a transaction for writes, a snapshot for reads. There is none
            where the call is carried on: to other calls, or to another service.
        now: the time of the call, UTC.
        operation_key: the idempotency key of the call; only what carries other calls has to look at it.
        store: where a call that is carried on to another service opens units of its own, none of them while it waits.
        subject: set by a handler to the id of the record the call is about, for the operation and audit rows.
    """

    caller: Caller
    unit: Unit
    now: datetime
    operation_key: str | None = None
    store: Store | None = None
    subject: str | None = None

    def reading(self) -> AbstractContextManager[Unit]:
        """A snapshot of the caller's records, for a call that is carried on to another service."""
        assert self.store is not None
        return self.store.read(self.caller.owner)

    def writing(self) -> AbstractContextManager[Unit]:
        """A transaction on the caller's records, for a call that is carried on to another service."""
        assert self.store is not None
        return self.store.write(self.caller.owner)
