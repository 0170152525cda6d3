"""What happens when a contract has no handler, or a handler no contract: the server does not start, and says what to add."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tallystick.audit import AuditLog
from tallystick.bind import Unbound, bind
from tallystick.metrics import Metrics
from tallystick_contract.operations import OPERATIONS, Operation

FACTS = tuple(operation for operation in OPERATIONS if operation.group == "facts")


class Whole:
    def get_user_facts(self, request: Any, context: Any) -> Any: ...
    def update_user_facts(self, request: Any, context: Any) -> Any: ...
    def replay_update_user_facts(self, answer: Any, context: Any) -> Any: ...


class WithoutGet:
    def update_user_facts(self, request: Any, context: Any) -> Any: ...
    def replay_update_user_facts(self, answer: Any, context: Any) -> Any: ...


class WithoutReplay:
    def get_user_facts(self, request: Any, context: Any) -> Any: ...
    def update_user_facts(self, request: Any, context: Any) -> Any: ...


class WithStray(Whole):
    def forget_user_facts(self, request: Any, context: Any) -> Any: ...


def bound(group: object, tmp_path: Path, operations: tuple[Operation, ...] = FACTS) -> Any:
    audit = AuditLog(tmp_path / "mcp.log", True)
    handlers: Any = SimpleNamespace(facts=group)
    return bind(handlers, None, audit, Metrics(), strict=True, operations=operations)  # type: ignore[arg-type]


def test_all_there(tmp_path: Path) -> None:
    assert set(bound(Whole(), tmp_path)) == {"get_user_facts", "update_user_facts"}


def test_a_contract_without_a_handler(tmp_path: Path) -> None:
    with pytest.raises(Unbound) as raised:
        bound(WithoutGet(), tmp_path)
    assert str(raised.value) == (
        "The contract and the handlers do not match.\n\n"
        "server/tallystick/handlers/facts.py: get_user_facts is in the contract and has no handler. Add:\n\n"
        "    def get_user_facts(self, request: GetUserFactsRequest, context: Context) -> GetUserFactsResponse:\n"
        "        ..."
    )


def test_a_handler_without_a_contract(tmp_path: Path) -> None:
    with pytest.raises(Unbound) as raised:
        bound(WithStray(), tmp_path)
    assert (
        "server/tallystick/handlers/facts.py: forget_user_facts is a handler of no operation. Write its contract "
        "(contracts/paths/facts.yaml with operationId: forget_user_facts)" in str(raised.value)
    )


def test_an_answer_that_is_not_kept_needs_a_replay(tmp_path: Path) -> None:
    with pytest.raises(Unbound, match="answers with user_facts, which are never kept, and nothing renders a replay"):
        bound(WithoutReplay(), tmp_path)
