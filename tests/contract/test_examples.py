"""Every example of the contract runs, over REST and over MCP in both eras, and is answered as the contract says.

The server is strict here: an answer that does not meet its response schema is an INTERNAL_ERROR and fails the test.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from codegen.emit.examples import arguments_of, body_of_example, path_of
from codegen.ir import Example, Op
from tests.contract.fixtures import CONTRACT, Fixtures
from tests.live import ERAS, Live


def cases(tools: bool) -> list[Any]:
    """Every example that this door can carry, with the name it has in a test report."""
    return [
        pytest.param(op, example, id=f"{op.name}: {example.name}")
        for op in CONTRACT.operations
        for example in op.examples
        if (op.tool if tools else has_a_request(op, example))
    ]


def has_a_request(op: Op, example: Example) -> bool:
    """Whether HTTP can express the example at all: a call without its path, or without its whole body, has no URL or body."""
    parts = [param.name for param in op.parameters if param.where == "path"]
    if op.body not in (None, "*"):
        parts.append(str(op.body))
    return all(part in example.input for part in parts)


class Prepared:
    """A new user for whom an example's fixtures exist, and the example in terms of what was really made."""

    def __init__(self, live: Live, op: Op, example: Example) -> None:
        self.live, self.op = live, op
        self.user = f"example-{id(self)}"
        self.key = live.key(self.user)
        if "linear_two" in example.needs:
            live.linear.renew()
        fixtures = Fixtures()
        with live.rest(self.key) as client:
            for need in example.needs:
                fixtures.make(client, need)
        if op.name == "erase_user_data":
            fixtures.names["local"] = self.user
        if example.needs:
            live.indexed()  # so that it is found by its meaning, too
        self.example = dataclasses.replace(
            example, input=fixtures.translated(example.input), output=fixtures.translated(example.output)
        )

    def check(self, answer: dict[str, Any]) -> None:
        """The answer holds what the contract's example shows, but for what no two stores share."""
        difference = unlike(self.example.output or {}, answer, values=self.op.family != "memvault")
        assert difference is None, f"{difference}\nin {json.dumps(answer, ensure_ascii=False)[:2000]}"


# What differs from store to store, or is only shown in part.
VARYING = {
    "revision", "timestamp", "created", "updated", "time", "confidence", "request_id", "duration_ms", "key", "key_id",
    "agent", "user", "id", "text", "rest", "mcp", "definition", "communication_style", "behavioral_guidelines", "operations",
    "next_cursor", "see_also", "comment_id", "session", "from", "to", "link_id", "version",
}  # fmt: skip
# A server has more than an example can show, and the key of these tests may do more.
SHAPE_ONLY = {"list_help", "list_personas", "list_keys", "list_audit", "whoami", "get_index"}


def unlike(shown: Any, answered: Any, where: str = "", *, values: bool = True) -> str | None:
    """Where an answer differs from the example; None where it does not. The answers that the Memvault documentation prints
    are of a vault that is not here, so that only their form is compared."""
    scalar = not isinstance(shown, dict | list)
    if where.rpartition("/")[2] in VARYING or shown == "mem_abc123" or (scalar and not values):
        same = type(answered) is type(shown) or (isinstance(answered, int | float) and isinstance(shown, int | float))
        return None if same else f"{where} is {answered!r}, not like {shown!r}"
    if isinstance(shown, dict) and isinstance(answered, dict):
        missing = sorted(shown.keys() - answered.keys() - {"preview"})
        found = [f"{where} lacks {missing}"] if missing else []
        found += filter(
            None, (unlike(shown[k], answered[k], f"{where}/{k}", values=values) for k in shown.keys() & answered.keys())
        )
        return found[0] if found else None
    if isinstance(shown, list) and isinstance(answered, list):
        if len(answered) < len(shown) and (values or (not answered and where.count("/") == 1)):
            return f"{where} has {len(answered)} elements, the example {len(shown)}"
        pairs = zip(shown, answered, strict=False)
        return next(filter(None, (unlike(a, b, f"{where}/{n}", values=values) for n, (a, b) in enumerate(pairs))), None)
    if where.endswith("preview"):
        return None if str(answered).startswith(str(shown)[:40]) else f"{where} begins otherwise: {answered[:80]!r}"
    return None if shown == answered else f"{where} is {answered!r}, the example has {shown!r}"


@pytest.mark.parametrize(("op", "example"), cases(tools=False))
def test_over_rest(live: Live, op: Op, example: Example) -> None:
    prepared = Prepared(live, op, example)
    path, body = path_of(op, prepared.example), body_of_example(op, prepared.example)
    with live.rest(prepared.key) as client:
        answer = client.request(op.method, path, json=body) if op.body else client.request(op.method, path)
    if example.error:
        assert answer.status_code == CONTRACT.errors[example.error].status, answer.text
        assert answer.json()["error"]["code"] == example.error
        return
    assert answer.status_code == op.status, answer.text
    if op.response_kind == "model" and op.name not in SHAPE_ONLY:
        prepared.check(answer.json())


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("op", "example"), cases(tools=True))
async def test_over_mcp(live: Live, op: Op, example: Example, era: str) -> None:
    prepared = Prepared(live, op, example)
    async with live.mcp(era, prepared.key) as client:
        result = await client.call_tool(op.name, arguments_of(op, prepared.example))
    assert result.structured_content is not None
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    if example.error:
        assert result.is_error
        error = result.structured_content["error"]
        assert (result.structured_content["code"] if error is True else error["code"]) == example.error
        return
    assert not result.is_error, result.structured_content
    prepared.check(result.structured_content)
