"""MCP over Streamable HTTP: stateless JSON, both protocol eras, one tool for each operation that is one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from starlette.requests import Request
from starlette.types import Receive, Scope, Send
from tallystick_contract.documents import load_tools
from tallystick_contract.errors import Code
from tallystick_contract.operations import INSTRUCTIONS

from .. import __version__
from ..caller import Caller
from ..endpoint import Endpoint, new_request_id
from ..problem import Problem
from .access import Access
from .arguments import KEY, Arguments
from .envelope import BadEnvelope, envelope, replayed
from .respond import problem_response
from .rest import MAX_BODY, check_size

CALLER = "tallystick.caller"
BATCH = "memvault_batch"
UNKNOWN_TOOL = -32602  # what the specification asks for where tools/call names no tool


class McpTransport:
    """ASGI application of /mcp. `manager.run()` must be entered by the application's lifespan.

    Args:
        endpoints: every operation by name; those that are tools of `families` are offered.
        families: the tool sets to offer.
    """

    def __init__(self, endpoints: Mapping[str, Endpoint], families: tuple[str, ...], access: Access) -> None:
        self._access = access
        offered = {n: e for n, e in endpoints.items() if e.operation.tool and e.operation.family in families}
        self._tools = {name: Arguments(endpoint) for name, endpoint in offered.items()}
        self._listed = [tool for tool in load_tools() if tool["name"] in offered]
        schemas = {tool["name"]: tool["inputSchema"] for tool in self._listed}
        server: Server[dict[str, Any]] = Server(
            "tallystick",
            version=__version__,
            title="Tallystick",
            description="One memory behind all your agents.",
            instructions=INSTRUCTIONS,
            get_tool_input_schema=schemas.get,
            on_list_tools=_list_tools,
            on_call_tool=self._call_tool,
        )
        server.middleware.append(self._verbatim_list)
        # Host and Origin are checked for both surfaces by guard.py, so the SDK's own check stays off.
        self.manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=MAX_BODY
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            check_size(request)
            scope[CALLER] = await self._access.caller(request.headers)
            if request.method != "POST":  # there are no sessions here, so nothing to listen to and nothing to end
                raise Problem(Code.METHOD_NOT_ALLOWED, "/mcp takes POST: it keeps no sessions and opens no streams.")
            body = await envelope(request)
        except BadEnvelope as bad:
            await bad.response(scope, receive, send)
            return
        except Problem as problem:
            response = problem_response(problem)
            if problem.code is Code.METHOD_NOT_ALLOWED:
                response.headers["allow"] = "POST"
            await response(scope, receive, send)
            return
        await self.manager.handle_request(scope, replayed(body), send)

    async def _verbatim_list(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """tools/list exactly as the contract cut it: the SDK's per-version models would drop what they do not know."""
        if ctx.method == "tools/call" and ctx.params is not None and "batch" in ctx.params:
            # The raw form of the Memvault documentation: params.batch is a call of memvault_batch.
            others = {name: value for name, value in ctx.params.items() if name not in ("batch", KEY)}
            key = {KEY: ctx.params[KEY]} if KEY in ctx.params else {}
            arguments = {"calls": ctx.params["batch"], **key}
            ctx = replace(ctx, params={**others, "name": BATCH, "arguments": arguments})
        result = await call_next(ctx)
        if ctx.method != "tools/list":
            return result
        envelope = {k: v for k, v in result.items() if k != "tools"} if isinstance(result, dict) else {}
        return {**envelope, "tools": self._listed}

    async def _call_tool(self, ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams) -> CallToolResult:
        arguments = self._tools.get(params.name)
        if arguments is None:
            known = ", ".join(sorted(self._tools))
            raise MCPError(UNKNOWN_TOOL, f"Unknown tool: {params.name[:64]}. Known are: {known}.")
        request: Request | None = ctx.request
        if request is None:  # every request of this transport has one
            raise MCPError(INTERNAL_ERROR, "The request did not come over HTTP.")
        endpoint = arguments.endpoint
        caller: Caller = request.scope[CALLER]
        request_id = new_request_id()
        try:
            endpoint.permit(caller)
            raw, key = arguments.unwrap(params.arguments or {})
        except Problem as problem:
            endpoint.refuse(problem, caller, request_id)
            return _failure(problem, endpoint)
        try:
            answer = await self._access.call(endpoint, raw, caller, key, request_id)
        except Problem as problem:
            return _failure(problem, endpoint)
        return _result(answer.body.decode(), json.loads(answer.body), is_error=False)


async def _list_tools(ctx: ServerRequestContext[Any, Any], params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=[])  # _verbatim_list puts the contract's list in


def _failure(problem: Problem, endpoint: Endpoint) -> CallToolResult:
    failure = problem.wire(endpoint.operation.family)
    return _result(json.dumps(failure, ensure_ascii=False, separators=(",", ":")), failure, is_error=True)


def _result(text: str, structured: dict[str, Any], *, is_error: bool) -> CallToolResult:
    content = [TextContent(type="text", text=text)]
    return CallToolResult(content=content, structured_content=structured, is_error=is_error)
