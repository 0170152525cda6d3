"""The calls of a batch, each carried out as if it had come alone over MCP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tallystick_contract.errors import Code

from ..caller import Caller
from ..endpoint import Endpoint, new_request_id
from ..problem import Problem
from .access import Access
from .arguments import Arguments


class Carrier:
    """Carries calls to the endpoints of tools; a batch cannot carry another.

    Args:
        endpoints: every operation by name.
        access: calls them.
    """

    def __init__(self, endpoints: Mapping[str, Endpoint], access: Access) -> None:
        self._access = access
        carried = {n: e for n, e in endpoints.items() if e.operation.tool and not e.operation.composite}
        self._tools = {name: Arguments(endpoint) for name, endpoint in carried.items()}
        self._composite = frozenset(n for n, e in endpoints.items() if e.operation.composite)

    def writes(self, name: str, arguments: dict[str, Any]) -> bool:
        """See Carry."""
        tool = self._tools.get(name)
        return tool is not None and tool.endpoint.parts.writes(arguments)

    async def __call__(
        self, name: str, arguments: dict[str, Any], caller: Caller, operation_key: str | None
    ) -> dict[str, Any]:
        """See Carry."""
        tool = self._tools.get(name)
        if name in self._composite:
            raise Problem(Code.NOT_FOUND, f"A batch carries no {name}; put its calls into this one's.")
        if tool is None:
            raise Problem(Code.NOT_FOUND, f"There is no tool {name}.")
        request_id = new_request_id()
        try:
            tool.endpoint.permit(caller)
            raw, key = tool.unwrap(arguments)
        except Problem as problem:
            tool.endpoint.refuse(problem, caller, request_id)
            raise
        answer = await self._access.call(tool.endpoint, raw, caller, key or operation_key, request_id)
        result: dict[str, Any] = json.loads(answer.body)
        return result
