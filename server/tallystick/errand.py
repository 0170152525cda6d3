"""Calls that wait on another service: the store in short units of work, none of them open across the wait, and the notes by
which a write is never sent twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel
from tallystick_contract.errors import Code

from .caller import Caller
from .problem import Problem
from .store import Store, StoreBusy, StoreFull, Unit

if TYPE_CHECKING:
    from .context import Context
    from .endpoint import Answer

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

_under_way: set[str] = set()  # notes of writes that this process waits on


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an operation.

    Attributes:
        name: the operation.
        key: its operation key.
        digest: hash of its arguments.
        started: what time.perf_counter() said when it came in.
    """

    name: str
    caller: Caller
    key: str | None
    digest: str
    request_id: str
    started: float

    def same_as(self, name: str, digest: str) -> None:
        """Raise Problem(CONFLICT) where its key was used for another operation or other arguments."""
        if (name, digest) != (self.name, self.digest):
            raise Problem(
                Code.CONFLICT,
                "This operation key was used before for another call.",
                next_action="Use a new operation key for a new call, or repeat the first call unchanged.",
            )

    def audited(self, context: Context, outcome: str) -> None:
        """Write its row of the audit trail into the context's unit of work."""
        context.unit.audit.add(
            request_id=self.request_id, user=self.caller.user, agent=self.caller.agent, operation=self.name, outcome=outcome,
            duration_ms=round((time.perf_counter() - self.started) * 1000, 1), subject=context.subject, now=context.now,
        )  # fmt: skip


class Errand:
    """What a handler that waits has in the place of an open unit of work.

    A write goes: `sent`, then the one request that writes, then one of `record`, `refused` or `unknown`.

    Attributes:
        answer: the answer as it was recorded; None where nothing was.
    """

    def __init__(
        self,
        store: Store,
        call: Call,
        context: Context,
        keep: Callable[[Call, Context, Answer], None],
        render: Callable[[BaseModel], Answer],
    ) -> None:
        self._store = store
        self._call = call
        self._context = context
        self._keep = keep
        self._render = render
        self._note: str | None = None
        self.answer: Answer | None = None

    async def read(self, work: Callable[[Unit], T]) -> T:
        """What `work` gives within a snapshot."""

        def run() -> T:
            with self._store.read(self._call.caller.owner) as unit:
                return work(unit)

        return await asyncio.to_thread(run)

    async def sent(self, target: str) -> None:
        """Note that a write is about to be sent; `target` is the id of what it makes or changes.

        Raises:
            Problem: CONFLICT where one is under way under the same operation key.
        """
        call, context = self._call, self._context
        self._note = await self._writing(
            lambda unit: unit.sent.add(
                agent=call.caller.agent,
                key=call.key,
                name=call.name,
                args_hash=call.digest,
                target=target,
                at=context.now,
            )
        )
        _under_way.add(self._note)

    async def refused(self) -> None:
        """The write did not happen: the same call may be made again."""
        note = self._over()
        if note is not None:
            await self._writing(lambda unit: unit.sent.drop(note))

    async def unknown(self, message: str, *, partial: bool = False) -> None:
        """The write may have happened, or (`partial`) has happened in part: the same call is not sent again.

        Args:
            message: what is known, for people.
        """
        note = self._over()

        def work(unit: Unit) -> None:
            self._context.unit = unit
            if note is not None:
                unit.sent.mark(note, "partial" if partial else "unknown", message)
            self._call.audited(self._context, "partial" if partial else "unknown")

        await self._writing(work)

    async def record(self, work: Callable[[Unit], M]) -> M:
        """Run `work`, which makes the answer, in the transaction that notes the write as done. At the end of a handler."""
        note = self._over()

        def run(unit: Unit) -> M:
            self._context.unit = unit
            response = work(unit)
            self.answer = self._render(response)
            self._keep(self._call, self._context, self.answer)
            if note is not None:
                unit.sent.drop(note)
            return response

        try:
            return await self._writing(run)
        except (StoreBusy, StoreFull) as error:
            if note is None:
                raise
            raise Problem(
                Code.INTEGRATION_ERROR, f"The other service has done it, but it could not be noted here: {error}"
            ) from None

    @property
    def open(self) -> bool:
        """Whether a write was sent of which nothing was noted since."""
        return self._note is not None

    def end(self) -> None:
        """The handler is done, whichever way: what is open stays so, and nobody waits for it any more."""
        self._over()

    async def known(self, replay: Callable[[Call, Context], Answer | None]) -> Answer | None:
        """The answer of an earlier call under the same operation key; None where there was none.

        Raises:
            Problem: CONFLICT where the key is of another call, or of one under way; INTEGRATION_ERROR where the earlier one was
                sent and is not known to be done.
        """
        call = self._call
        assert call.key is not None
        key = call.key

        def look(unit: Unit) -> Answer | None:
            self._context.unit = unit
            answer = replay(call, self._context)
            left = unit.sent.find(call.caller.agent, key) if answer is None else None
            if left is None:
                return answer
            call.same_as(left.name, left.args_hash)
            if left.id in _under_way:
                raise Problem(Code.CONFLICT, "This call is under way.", next_action="Wait for its answer.")
            said = left.message or "This call was sent before, and its outcome is not known."
            raise Problem(
                Code.INTEGRATION_ERROR,
                f"{said} It was not sent again.",
                next_action=f"Look whether it has happened (its id is {left.target}); if not, call again with a new operation key.",
            )

        return await self._writing(look)

    def _over(self) -> str | None:
        note, self._note = self._note, None
        if note is not None:
            _under_way.discard(note)
        return note

    async def _writing(self, work: Callable[[Unit], T]) -> T:
        def run() -> T:
            with self._store.write(self._call.caller.owner) as unit:
                return work(unit)

        return await asyncio.to_thread(run)
