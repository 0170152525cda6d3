"""Composition root: the only place where store, handlers, contract and transports are wired together."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import structlog
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from tallystick_contract.documents import load_linear
from tallystick_contract.errors import Code

from .audit import AuditLog
from .bind import bind
from .caller import Authenticator
from .endpoint import Endpoint, new_request_id
from .handlers import AllHandlers
from .linear import Gateway, Workspaces
from .metrics import Metrics
from .problem import Problem
from .settings import Settings
from .store import Store
from .transports.access import Access
from .transports.carrier import Carrier
from .transports.guard import Guard
from .transports.mcp import McpTransport
from .transports.respond import problem_response
from .transports.rest import routes

log = structlog.get_logger(__name__)


def create_app(settings: Settings, store: Store, *, run_token: str | None = None) -> Starlette:
    """The whole server as one ASGI application over an open store.

    Args:
        settings: how it is to run.
        store: open; the caller closes it after the application has shut down.
        run_token: bearer token of this machine's own bridge and CLI; they are user `local` with every scope.
    """
    authenticator = Authenticator(store, run_token)
    audit = AuditLog(settings.home / "logs" / "mcp.log", settings.audit_text)
    access = Access(authenticator)
    metrics = Metrics()
    carriers: list[Carrier] = []  # a batch carries calls to endpoints that its own handler is needed to make
    gateway = Gateway(load_linear(), settings.linear_url, settings.linear_timeout)
    workspaces = Workspaces(settings.home, {k: v.get_secret_value() for k, v in settings.linear_keys.items()})
    handlers = AllHandlers(store, authenticator, metrics, lambda: carriers[0], gateway, workspaces, settings.public_url)
    endpoints = bind(handlers, store, audit, metrics, strict=settings.strict)
    carriers.append(Carrier(endpoints, access))
    mcp = McpTransport(endpoints, settings.tools, access)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with mcp.manager.run():
            yield
            await access.finish()
            await gateway.close()
        access.close()
        audit.close()

    hosts = (*settings.allowed_hosts, settings.host)
    app = Starlette(
        routes=[*routes(endpoints.values(), access), Route("/mcp", mcp, methods=["GET", "POST", "DELETE"]), _docs()],
        middleware=[Middleware(Guard, hosts=hosts, origins=settings.allowed_origins), *_cors(settings)],
        exception_handlers={HTTPException: _http_error, Exception: _internal_error},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # /v1/keys/ is no other name of /v1/keys: a redirect would only hide a typo
    app.state.endpoints = endpoints
    return app


def _docs() -> Mount:
    """The files that the page at /docs loads; they are the same for everybody and hold nothing of a user."""
    return Mount("/docs", StaticFiles(packages=[("tallystick", "docs_page")]), name="docs")


def _cors(settings: Settings) -> list[Middleware]:
    """Answers preflights of the web origins that are allowed, and of no others."""
    if not settings.allowed_origins:
        return []
    headers = ["authorization", "content-type", "idempotency-key"]
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=list(settings.allowed_origins),
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=[*headers, "mcp-protocol-version", "mcp-method", "mcp-name"],
            expose_headers=["x-request-id", "location", "retry-after"],
        )
    ]


async def _http_error(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code == 405:
        allowed = ", ".join(sorted(_methods(request)))
        problem = Problem(Code.METHOD_NOT_ALLOWED, f"{request.method} is not served here; {allowed} is.")
        response = problem_response(problem)
        response.headers["allow"] = allowed
        return response
    advice = "GET /openapi.json lists every path; MCP is at /mcp."
    return problem_response(
        Problem(Code.NOT_FOUND, f"There is nothing at {request.url.path[:200]}.", next_action=advice)
    )


def _methods(request: Request) -> set[str]:
    """The methods of all routes with the request's path: each operation has a route of its own."""
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    return {method for route in routes if route.path_regex.match(request.url.path) for method in route.methods or ()}


async def _internal_error(request: Request, error: Exception) -> Response:
    request_id = new_request_id()
    log.error("internal error", path=request.url.path, request_id=request_id, exc_info=error)
    text = f"The server failed on this request; its log has request id {request_id}."
    return problem_response(Problem(Code.INTERNAL_ERROR, text), request_id)


def endpoints_of(app: Starlette) -> dict[str, Endpoint]:
    """The bound endpoints of an application made by `create_app`, by operation name."""
    endpoints: dict[str, Endpoint] = app.state.endpoints
    return endpoints
