"""The records that the contract's examples speak of, made for one user, and what the store called them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import yaml

from codegen.emit.examples import body_of_example, path_of
from codegen.generate import read_contract
from codegen.ir import Example

CONTRACTS = Path(__file__).parents[2] / "contracts"
CONTRACT = read_contract(CONTRACTS)
FIXTURES: dict[str, Any] = yaml.safe_load((CONTRACTS / "fixtures.yaml").read_text("utf-8"))


class Fixtures:
    """What was made; `names` maps the ids that examples use to those of the store."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def make(self, client: httpx.Client, need: str) -> None:
        """Make the fixture `need` of fixtures.yaml for the user of `client`, unless it ships with every store."""
        fixture = FIXTURES[need]
        if "call" not in fixture:
            return
        op = CONTRACT.operation(fixture["call"])
        case = Example(need, "", (), fixture["input"], None, None)
        answer = client.request(op.method, path_of(op, case), json=body_of_example(op, case))
        assert answer.status_code == op.status, answer.text
        if "id" in fixture:
            made = answer.json()
            self.names[fixture["id"]] = made.get("memory_id") or made["id"]
        for text, template in fixture.get("names", {}).items():
            self.names[text] = template.format_map(answer.json())

    def translated(self, value: Any) -> Any:
        """`value` with the ids of examples replaced by those that the store gave."""
        if isinstance(value, dict):
            return {key: self.translated(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.translated(item) for item in value]
        return self.names.get(value, value) if isinstance(value, str) else value
