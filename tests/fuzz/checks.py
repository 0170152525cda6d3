"""What this server promises beyond what Schemathesis knows to check. Importing the module adds these to its checks."""

from __future__ import annotations

from typing import Any

import requests
import schemathesis
from tallystick_contract.operations import OPERATIONS, Operation

BY_ROUTE = {(operation.method, operation.path): operation for operation in OPERATIONS}


def reached(response: schemathesis.Response, case: schemathesis.Case[Any]) -> Operation | None:
    """The operation that a request was for; None where it had another method, or a path that may be another's."""
    if case.meta is not None and case.meta.is_negative_at(schemathesis.core.parameters.ParameterLocation.PATH):
        return None
    return BY_ROUTE.get((str(response.request.method), case.operation.path))


@schemathesis.check
class ScopesDecide:
    """A key is refused where it lacks a scope, nobody else is, and what is public asks for none.

    Args:
        key: what the caller sends; empty for one who has none.
        scopes: what it may do.
    """

    def __init__(self, key: str = "", scopes: list[str] | None = None) -> None:
        self._header = f"Bearer {key}" if key else None
        self._scopes = frozenset(scopes or ())

    def after_response(
        self, ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case[Any]
    ) -> None:
        operation = reached(response, case)
        if operation is None:
            return
        status, sent = response.status_code, response.request.headers.get("Authorization")
        if operation.public:
            assert status not in (401, 403), f"{operation.name} is public and answered {status}"
        elif self._header is None or sent != self._header:
            assert status == 401, f"{operation.name} answered {status} to a caller without a key"
        elif not self._scopes.issuperset(operation.scopes):
            assert status == 403, f"{operation.name} answered {status} to a key without {sorted(operation.scopes)}"
        elif all(self._scopes.issuperset(branch.scopes) for branch in operation.branches):
            assert status not in (401, 403), f"{operation.name} answered {status} to a key that may call it"


@schemathesis.check
def same_key_once(
    ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case[Any]
) -> None:
    """A write that is sent again under its operation key is answered from the first time, and says so."""
    operation = reached(response, case)
    key = response.request.headers.get("Idempotency-Key")
    if operation is None or key is None or not operation.writes or operation.composite:
        return
    first = response.json() if response.status_code == operation.status else None
    chosen = case.body.get(operation.branch) if first and isinstance(case.body, dict) and operation.branch else None
    if first is None or not next((b.writes for b in operation.branches if b.value == chosen), True):
        return
    if first.get("disambiguation_required"):
        return  # the question which workspace is meant; nothing was written
    with requests.Session() as session:
        again = session.send(response.request, timeout=60)
    assert again.status_code == response.status_code, f"{again.status_code} to the same write: {again.text[:500]}"
    second = again.json()
    assert second.pop("replayed", None) is True, f"the same write was done twice: {again.text[:500]}"
    made = {name: value for name, value in second.items() if name != "operation"}
    assert made.items() <= first.items(), f"first {first}, again {second}"
