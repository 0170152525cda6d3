"""What MCP clients put into `arguments`, turned into the operation's own object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tallystick_contract.documents import input_schema
from tallystick_contract.errors import Code

from ..endpoint import Endpoint
from ..problem import Problem

KEY = "operation_key"


class Arguments:
    """Unwraps the arguments of one tool.

    Models often send an object as its JSON text. Where the strict schema wants an object or array and the argument is
    a string that holds exactly that as JSON, it is parsed once; a parameter that may be a string is never parsed.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        schema = input_schema(endpoint.operation.name)
        members = [
            member
            for part in (schema, *schema.get("oneOf", ()))  # a split operation has its members in the branches
            for member in part.get("properties", {}).items()
        ]
        self._containers = {name: kinds for name, member in members if (kinds := _container(schema, member))}

    def unwrap(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
        """The operation's object and, for writes, the operation key.

        Raises:
            Problem: INVALID_PARAMS where "data" is missing or not the only argument, or the key is no string.
        """
        given = dict(arguments)
        key = given.pop(KEY, None) if self.endpoint.operation.writes else None
        if key is not None and not isinstance(key, str):
            raise Problem(Code.INVALID_PARAMS, f"/{KEY} must be a string.")
        if self.endpoint.operation.arguments == "data":
            given = self._data(given)
        for name, kinds in self._containers.items():
            if isinstance(given.get(name), str):
                given[name] = _parsed(given[name], kinds)
        return given, key

    def _data(self, given: dict[str, Any]) -> dict[str, Any]:
        name = self.endpoint.operation.name
        if "data" not in given:
            raise Problem(
                Code.INVALID_PARAMS,
                f'/data is required: {name} takes its arguments as {{"data": {{...}}}}.',
                next_action=f'Call {name} with {{"data": {{...}}}} around the arguments.',
            )
        others = sorted(given.keys() - {"data"})
        if others:
            raise Problem(
                Code.INVALID_PARAMS, f"/{others[0][:120]} is not a known argument; known is: data. Put it inside data."
            )
        data = _parsed(given["data"], (dict,)) if isinstance(given["data"], str) else given["data"]
        if not isinstance(data, dict):
            raise Problem(Code.INVALID_PARAMS, '/data must be an object: {"data": {...}}.')
        return dict(data)


def _container(schema: Mapping[str, Any], member: Mapping[str, Any]) -> tuple[type, ...]:
    while "$ref" in member:
        target: Any = schema
        for step in member["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        member = target
    wanted = member.get("type")
    wanted = [wanted] if isinstance(wanted, str) else wanted or []
    if "string" in wanted:
        return ()
    return tuple(kind for name, kind in (("object", dict), ("array", list)) if name in wanted)


def _parsed(text: str, kinds: tuple[type, ...]) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, kinds) else text
