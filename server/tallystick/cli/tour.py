"""The way the demonstration goes: store, recall over REST, recall over MCP."""

from __future__ import annotations

import asyncio
import time

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tallystick_client import Tallystick

from ..owner import Owner
from .samples import MEMORIES, QUESTION
from .showing import Recording, Show

INDEXED = 60.0


def tour(owner: Owner, show: Show) -> None:
    """Show a new server's whole way from the first key to an answer over MCP."""
    with Tallystick(owner.url, owner.token) as machine:
        key = machine.keys.create_key(agent="demo", scopes=["memory:read", "memory:write", "facts:read"]).key or ""
    wire = Recording(show)
    with Tallystick(owner.url, key, transport=wire) as client:
        show.step(f"{len(MEMORIES)} memories through the Python client, the first of them shown")
        for number, memory in enumerate(MEMORIES):
            wire.on = number == 0
            client.memories.store_context(**memory)
        wire.on = False
        started = time.monotonic()
        while client.health.ready().index != "current":
            if time.monotonic() - started > INDEXED:
                break  # said below as it is: words are found all the same
            time.sleep(0.05)
        show.say(f"Found by their words at once; found by meaning after {time.monotonic() - started:.1f} s.")
        wire.on = True
        show.step("Recalled over REST: by meaning, with none of the stored words needed")
        client.memories.recall_context(query=QUESTION, conversation_id="nc-demo-20260601")
        show.step("Recalled over REST: by exact text")
        client.memories.recall_memory(query="OC-41252", detail="abstract", limit=3)
    show.step("Recalled over MCP with the official client")
    asyncio.run(_over_mcp(owner, key, show))


async def _over_mcp(owner: Owner, key: str, show: Show) -> None:
    async def record(response: httpx2.Response) -> None:
        await response.aread()
        request = response.request
        asked = request.read() if request.method == "POST" else b""
        if b'"tools/call"' in asked:
            show.exchange(request.method, request.url.path, asked, response.status_code, response.content)

    async with (
        httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {key}"}, event_hooks={"response": [record]}, timeout=30
        ) as http,
        Client(streamable_http_client(f"{owner.url}/mcp", http_client=http)) as client,
    ):
        tools = (await client.list_tools()).tools
        show.say(f"{len(tools)} tools: {', '.join(tool.name for tool in tools)}")
        await client.call_tool("search_memories", {"query": QUESTION, "max_results": 2})
