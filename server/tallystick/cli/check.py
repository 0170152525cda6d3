"""`tallystick mcp --check`: does the way an MCP client takes work, told in words. Never prints a key."""

from __future__ import annotations

import json
import sys
from typing import Any, NoReturn

from ..owner import OwnerMissing
from ..transports.bridge import HANDSHAKE_VERSION, Bridge
from ..transports.forward import Forwarder
from ..transports.stdio import Message

CLIENT = {"name": "tallystick-check", "version": "1"}


class _Failed(Exception):
    pass


def check(forwarder: Forwarder) -> int:
    """Ask a server what every MCP client asks it first, and print what came back.

    Returns:
        0 where all of it works, 1 at the first thing that does not.
    """
    bridge = Bridge(forwarder, sys.stdout.buffer, named=True)
    try:
        _say("server", forwarder.reach().url)
        hello = _ask(bridge, "initialize", protocolVersion=HANDSHAKE_VERSION, capabilities={}, clientInfo=CLIENT)
        server = hello["serverInfo"]
        _say("initialize", f"{server['name']} {server['version']}, protocol {hello['protocolVersion']}")
        tools = [tool["name"] for tool in _ask(bridge, "tools/list")["tools"]]
        _say("tools/list", f"{len(tools)} tools: {', '.join(tools)}")
        if "get_help" in tools:
            told = _ask(bridge, "tools/call", name="get_help", arguments={"data": {"topic": "workflow"}})
            _say("get_help", "answers" if not told.get("isError") else _refused(told))
    except (OwnerMissing, _Failed, LookupError, TypeError) as error:
        print(f"failed  {error if isinstance(error, OwnerMissing | _Failed) else f'an answer lacks {error}'}")
        return 1
    print("All is well: an MCP client can use `tallystick mcp`.")
    return 0


def _refused(told: dict[str, Any]) -> NoReturn:
    raise _Failed(f"get_help: {json.dumps(told.get('structuredContent'))}")


def _say(what: str, text: str) -> None:
    print(f"ok      {what:<11} {text}")


def _ask(bridge: Bridge, method: str, **params: Any) -> dict[str, Any]:  # any JSON value
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = bridge.ask(Message(json.dumps(request).encode(), method, params, 1))
    if "error" in answer:
        raise _Failed(f"{method}: {answer['error'].get('message')}")
    result: dict[str, Any] = answer["result"]
    return result
