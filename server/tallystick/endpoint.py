"""One operation, callable by every transport: scope, contract, operation key, handler, answer, audit."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import structlog
from pydantic import BaseModel, ValidationError
from tallystick_contract.errors import Code
from tallystick_contract.operations import OPERATION_KEY, Operation

from .audit import AuditLog
from .caller import Caller
from .context import Context
from .metrics import Metrics
from .part import Part, Parts
from .payload import check_text
from .problem import Problem
from .store import Conflict, NotFound, Store, StoreBusy, StoreFull
from .times import when
from .validity import Schema

log = structlog.get_logger(__name__)

ERASE = "memory:erase"

SENT = "null"
"""What an operation row holds in place of an answer while another service is waited for."""

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
    """An operation bound to its handlers. Calling it runs the whole way of a request on the calling thread.

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
        outcome, results = "ok", None
        request_id = request_id or new_request_id()
        try:
            self.permit(caller)
            part = self.parts.of(raw)
            self._check_scopes(part.scopes, caller)
            check_text(raw)
            part.schema.check(raw)
            if operation_key is not None:
                check_key(operation_key)
            answer = self._run(part, raw, caller, operation_key, request_id, started)
            results = answer.results
            return answer
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
        finally:
            seconds = time.perf_counter() - started
            self._metrics.observe(self.operation.name, outcome, seconds)
            self._audit.line(self.operation.name, caller, raw, outcome, seconds, results, request_id)

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
        try:
            request = part.request.model_validate(raw)
        except ValidationError as error:
            faults = "; ".join(f"/{'/'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:5])
            raise Problem(Code.INVALID_PARAMS, faults) from None
        if self.operation.composite:
            # The calls it carries open their own units of work; one around them would keep them waiting for ever.
            context = Context(caller, None, datetime.now(UTC), operation_key)  # type: ignore[arg-type]
            return self._answer(part, part.handler(request, context))
        if self.operation.outside:
            context = Context(caller, None, datetime.now(UTC), operation_key, self._store)  # type: ignore[arg-type]
            if not part.writes:
                return self._answer(part, part.handler(request, context))
            return self._write_outside(part, request, raw, context, request_id, started)
        with (self._store.write if part.writes else self._store.read)(owner) as unit:
            context = Context(caller, unit, datetime.now(UTC))  # type: ignore[arg-type]  # public handlers read no caller
            if not part.writes or caller is None:
                return self._answer(part, part.handler(request, context))
            return self._write(part, request, raw, context, operation_key, request_id, started)

    def _write(
        self,
        part: Part,
        request: BaseModel,
        raw: dict[str, Any],
        context: Context,
        operation_key: str | None,
        request_id: str,
        started: float,
    ) -> Answer:
        """Carry out a write once under its key, with its operation row and audit row in the same transaction."""
        digest = _digest(raw)
        if operation_key is not None:
            replayed = self._replayed(part, context, operation_key, digest)
            if replayed is not None:
                return replayed
        answer = self._answer(part, part.handler(request, context))
        if ERASE in part.scopes:
            self._audit.forget(context.caller.user)  # before the commit: a kill must not leave there what was erased
        self._note(part, context, operation_key, digest, answer, request_id, started)
        return answer

    def _write_outside(
        self,
        part: Part,
        request: BaseModel,
        raw: dict[str, Any],
        context: Context,
        request_id: str,
        started: float,
    ) -> Answer:
        """Carry out a write that waits for another service; no transaction is open meanwhile.

        Under an operation key it is noted as sent before. That note stays where nobody knows whether it was done, be it that
        the server was killed: then the same call is refused instead of sent again. One that surely failed may be repeated.
        """
        digest, key, agent = _digest(raw), context.operation_key, context.caller.agent
        if key is not None:
            with context.writing() as context.unit:
                replayed = self._replayed(part, context, key, digest)
                if replayed is not None:
                    return replayed
                context.unit.operations.add(
                    agent=agent, key=key, name=self.operation.name, args_hash=digest, answer=SENT, now=context.now
                )
        try:
            answer = self._answer(part, part.handler(request, context))
        except Problem as problem:
            if key is not None and problem.outcome_known:
                with context.writing() as unit:
                    unit.operations.drop(agent, key)
            raise
        with context.writing() as context.unit:
            self._note(part, context, key, digest, answer, request_id, started)
        return answer

    def _replayed(self, part: Part, context: Context, key: str, digest: str) -> Answer | None:
        """The answer to a write that was done under this key before; None where there was none.

        Raises:
            Problem: CONFLICT where the key was used for another call; INTEGRATION_ERROR where nobody knows whether it was done.
        """
        known = context.unit.operations.find(context.caller.agent, key)
        if known is None:
            return None
        if known.name != self.operation.name or known.args_hash != digest:
            raise Problem(
                Code.CONFLICT,
                "This operation key was used before for another call.",
                next_action="Use a new operation key for a new call, or repeat the first call unchanged.",
            )
        if known.answer == SENT:
            raise Problem.unknown("This call was sent before; it may be under way still, or done, or not.")
        kept = json.loads(known.answer)
        about = {"id": known.id, "name": known.name, "created": when(known.created)}
        rendered = _as_dict(part.replay(kept, context)) if part.replay else kept
        return self._answer(part, {**rendered, "replayed": True, "operation": about})

    def _note(
        self,
        part: Part,
        context: Context,
        key: str | None,
        digest: str,
        answer: Answer,
        request_id: str,
        started: float,
    ) -> None:
        """Keep that a write was done: under its key, and in the audit trail."""
        unit, caller, name = context.unit, context.caller, self.operation.name
        if key is not None:
            kept = {k: v for k, v in json.loads(answer.body).items() if k not in part.not_kept}
            unit.operations.add(
                agent=caller.agent, key=key, name=name, args_hash=digest, answer=json.dumps(kept),
                subject=context.subject, now=context.now,
            )  # fmt: skip
        unit.audit.add(
            request_id=request_id, user=caller.user, agent=caller.agent, operation=name, outcome="ok",
            duration_ms=round((time.perf_counter() - started) * 1000, 1), subject=context.subject, now=context.now,
        )  # fmt: skip

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


class ContractBroken(Exception):
    """A handler's answer does not meet its response schema (checked in strict mode)."""


def check_key(key: str) -> None:
    """Raise Problem(INVALID_PARAMS) unless `key` is an operation key as the contract wants it."""
    if not _KEY.is_valid(key):
        raise Problem(Code.INVALID_PARAMS, "/operation_key: an operation key has 1 to 128 visible ASCII characters.")


def _digest(raw: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(raw, sort_keys=True).encode()).hexdigest()


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
