"""One operation, callable by every transport: scope, contract, operation key, handler, answer, audit."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import quote

import structlog
from pydantic import BaseModel, ValidationError
from tallystick_contract.errors import Code
from tallystick_contract.operations import OPERATION_KEY, Operation

from .audit import AuditLog
from .caller import Caller
from .context import Context
from .errand import Call, Errand
from .metrics import Metrics
from .part import Part, Parts
from .payload import check_text
from .problem import Problem
from .store import Conflict, NotFound, Store, StoreBusy, StoreFull
from .times import when
from .validity import Schema

log = structlog.get_logger(__name__)

ERASE = "memory:erase"

_KEY = Schema(OPERATION_KEY)


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished call: the response body as it goes out, its HTTP status, and how many results it holds if it lists any."""

    status: int
    body: bytes
    media_type: str
    results: int | None = None

    def location(self, template: str) -> str:
        """The Location header: `template` with its {names} filled from the body, percent-encoded."""
        fields = {name: quote(str(value), safe="") for name, value in json.loads(self.body).items()}
        return template.format_map(fields)


class Endpoint:
    """An operation bound to its handlers. Calling it runs the whole way of a request on the calling thread; one that waits on
    other systems is awaited instead, by `wait`.

    Args:
        operation: the row of the generated table.
        parts: its handlers, by the value of the argument that chooses among them; under None alone where there is one.
        store: where the unit of work is opened.
        audit: takes one line a call.
        metrics: counts each call.
        strict: check each answer against its response schema.
    """

    def __init__(
        self,
        operation: Operation,
        parts: Mapping[str | None, Part],
        store: Store,
        audit: AuditLog,
        metrics: Metrics,
        strict: bool,
    ) -> None:
        self.operation = operation
        self.parts = Parts(operation, parts)
        self._store = store
        self._audit = audit
        self._metrics = metrics
        self._strict = strict
        self._scopes = frozenset(operation.scopes)

    def __call__(
        self,
        raw: dict[str, Any],
        caller: Caller | None,
        operation_key: str | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """Answer one call.

        Args:
            raw: the arguments as JSON values, path, query and body merged.
            caller: who calls; None only for public operations.
            operation_key: idempotency key of a write.
            request_id: what ties the answer, the log and the audit row together.

        Raises:
            Problem: with a code the operation's contract declares.
            ContractBroken: in strict mode only, where a code is raised that the contract does not declare.
        """
        started = time.perf_counter()
        request_id = request_id or new_request_id()
        with self._watched(raw, caller, request_id, started) as seen:
            part = self._checked(raw, caller, operation_key)
            answer = self._run(part, raw, caller, operation_key, request_id, started)
            seen.results = answer.results
            return answer

    async def wait(
        self,
        raw: dict[str, Any],
        caller: Caller,
        operation_key: str | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """Answer one call of an operation that waits on other systems: on the event loop, with its store work on threads.

        Arguments and exceptions are those of a call. No unit of work is open around the handler; its errand opens short ones.
        """
        started = time.perf_counter()
        request_id = request_id or new_request_id()
        with self._watched(raw, caller, request_id, started) as seen:
            part = await asyncio.to_thread(self._checked, raw, caller, operation_key)
            request = _request(part, raw)
            call = Call(self.operation.name, caller, operation_key, _digest(raw, operation_key), request_id, started)
            context = Context(caller, None, datetime.now(UTC), operation_key)  # type: ignore[arg-type]
            keep = partial(self._keep, part)
            context.errand = Errand(self._store, call, context, keep, partial(self._answer, part))
            if part.writes and not self.operation.composite and operation_key is not None:
                known = await context.errand.known(partial(self._replayed, part))
                if known is not None:
                    return known
            try:
                response = await part.handler(request, context)
            finally:
                context.errand.end()
            answer = context.errand.answer or self._answer(part, response)
            seen.results = answer.results
            return answer

    def _checked(self, raw: dict[str, Any], caller: Caller | None, operation_key: str | None) -> Part:
        self.permit(caller)
        part = self.parts.of(raw)
        self._check_scopes(part.scopes, caller)
        check_text(raw)
        part.schema.check(raw)
        if operation_key is not None:
            check_key(operation_key)
        return part

    @contextlib.contextmanager
    def _watched(
        self, raw: Mapping[str, Any], caller: Caller | None, request_id: str, started: float
    ) -> Iterator[_Seen]:
        """Turn what goes wrong in a call into a Problem, count the call and write its line."""
        outcome, seen = "ok", _Seen()
        try:
            yield seen
        except Problem as problem:
            outcome = problem.code.value
            if self._strict and problem.code not in self.operation.errors:
                raise ContractBroken(
                    f"{self.operation.name} answered {outcome}, which its contract does not declare."
                ) from problem
            raise
        except (StoreBusy, StoreFull, Conflict, NotFound) as error:
            translated = _problem_of(error)
            outcome = translated.code.value
            raise translated from None
        except Exception as error:
            outcome = Code.INTERNAL_ERROR.value
            log.exception("internal error", operation=self.operation.name, request_id=request_id)
            raise Problem(
                Code.INTERNAL_ERROR, f"The server failed on this call; its log has request id {request_id}."
            ) from error
        except asyncio.CancelledError:
            outcome = Code.INTERNAL_ERROR.value
            raise
        finally:
            seconds = time.perf_counter() - started
            self._metrics.observe(self.operation.name, outcome, seconds)
            self._audit.line(self.operation.name, caller, raw, outcome, seconds, seen.results, request_id)

    def refuse(self, problem: Problem, caller: Caller | None, request_id: str) -> None:
        """Count and log a call that its transport refused before it got here: no key, no scope, no JSON, too large."""
        self._metrics.observe(self.operation.name, problem.code.value, 0.0)
        self._audit.line(self.operation.name, caller, {}, problem.code.value, 0.0, None, request_id)

    def permit(self, caller: Caller | None) -> None:
        """Raise Problem where nobody calls, or the caller lacks a scope that every call of the operation needs.

        Raises:
            Problem: UNAUTHENTICATED, PERMISSION_DENIED.
        """
        if not self.operation.public and caller is None:
            raise Problem(Code.UNAUTHENTICATED)
        self._check_scopes(self._scopes, caller)

    def _check_scopes(self, wanted: frozenset[str], caller: Caller | None) -> None:
        missing = wanted - (caller.scopes if caller is not None else frozenset())
        if missing and not self.operation.public:
            raise Problem(
                Code.PERMISSION_DENIED, f"{self.operation.name} needs the scope {', '.join(sorted(missing))}."
            )

    def _run(
        self,
        part: Part,
        raw: dict[str, Any],
        caller: Caller | None,
        operation_key: str | None,
        request_id: str,
        started: float,
    ) -> Answer:
        owner = caller.owner if caller else 0
        request = _request(part, raw)
        with (self._store.write if part.writes else self._store.read)(owner) as unit:
            context = Context(caller, unit, datetime.now(UTC))  # type: ignore[arg-type]  # public handlers read no caller
            if not part.writes or caller is None:
                return self._answer(part, part.handler(request, context))
            call = Call(self.operation.name, caller, operation_key, _digest(raw, operation_key), request_id, started)
            known = self._replayed(part, call, context)
            if known is not None:
                return known
            answer = self._answer(part, part.handler(request, context))
            self._keep(part, call, context, answer)
            return answer

    def _replayed(self, part: Part, call: Call, context: Context) -> Answer | None:
        """The answer of an earlier call under the same key; None where there was none. `context` has a unit of work."""
        if call.key is None:
            return None
        known = context.unit.operations.find(call.caller.agent, call.key)
        if known is None:
            return None
        call.same_as(known.name, known.args_hash)
        kept = json.loads(known.answer)
        about = {"id": known.id, "name": known.name, "created": when(known.created)}
        rendered = _as_dict(part.replay(kept, context)) if part.replay else kept
        return self._answer(part, {**rendered, "replayed": True, "operation": about})

    def _keep(self, part: Part, call: Call, context: Context, answer: Answer) -> None:
        """Note a write that was carried out: its operation row and audit row join its transaction, the context's unit."""
        unit, caller = context.unit, call.caller
        if ERASE in part.scopes:
            self._audit.forget(caller.user)  # before the commit: what was erased must not be left there by a kill
        if call.key is not None:
            kept = {k: v for k, v in json.loads(answer.body).items() if k not in part.not_kept}
            unit.operations.add(
                agent=caller.agent, key=call.key, name=call.name, args_hash=call.digest, answer=json.dumps(kept),
                subject=context.subject, now=context.now,
            )  # fmt: skip
        call.audited(context, "ok")

    def _answer(self, part: Part, response: BaseModel | Mapping[str, Any] | str) -> Answer:
        if isinstance(response, str):
            body = response.encode()
        elif isinstance(response, BaseModel):
            body = response.model_dump_json(by_alias=True, exclude_none=True).encode()
        else:
            body = json.dumps(response, ensure_ascii=False, separators=(",", ":")).encode()
        if part.response is not None:
            value = json.loads(body)
            if not part.response.is_valid(value):
                raise ContractBroken(
                    f"{self.operation.name} answered against its contract: {part.response.describe(value)}"
                )
        return Answer(self.operation.status, body, self.operation.produces, _count(response))


@dataclass(slots=True)
class _Seen:
    """What the line of a call says beside its outcome."""

    results: int | None = None


class ContractBroken(Exception):
    """A handler's answer does not meet its response schema (checked in strict mode)."""


def _request(part: Part, raw: dict[str, Any]) -> BaseModel:
    try:
        return part.request.model_validate(raw)
    except ValidationError as error:
        faults = "; ".join(f"/{'/'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:5])
        raise Problem(Code.INVALID_PARAMS, faults) from None


def _digest(raw: Mapping[str, Any], key: str | None) -> str:
    """What tells whether two calls under one key are the same; without a key nobody asks."""
    return "" if key is None else hashlib.sha256(json.dumps(raw, sort_keys=True).encode()).hexdigest()


def check_key(key: str) -> None:
    """Raise Problem(INVALID_PARAMS) unless `key` is an operation key as the contract wants it."""
    if not _KEY.is_valid(key):
        raise Problem(Code.INVALID_PARAMS, "/operation_key: an operation key has 1 to 128 visible ASCII characters.")


def new_request_id() -> str:
    """An id of one call, `req_` and 24 random hex digits."""
    return f"req_{os.urandom(12).hex()}"


def _problem_of(error: StoreBusy | StoreFull | Conflict | NotFound) -> Problem:
    if isinstance(error, StoreBusy):
        return Problem(Code.STORE_BUSY, retry_after=1)
    if isinstance(error, StoreFull):
        return Problem(Code.STORE_FULL, str(error))
    return Problem(Code.CONFLICT if isinstance(error, Conflict) else Code.NOT_FOUND, str(error))


def _count(response: object) -> int | None:
    for name in ("items", "memories", "results"):
        listed = getattr(response, name, None)
        if isinstance(listed, list):
            return len(listed)
    return None


def _as_dict(model: BaseModel) -> dict[str, Any]:
    dumped: dict[str, Any] = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return dumped
