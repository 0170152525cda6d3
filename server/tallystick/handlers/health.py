"""Handlers of the group health: is the server up, what does it do, what is its contract."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from tallystick_contract.documents import load_openapi, load_tools
from tallystick_contract.models import (
    GetDocsRequest,
    GetOpenapiRequest,
    GetToolsRequest,
    LiveRequest,
    LiveResponse,
    MetricsRequest,
    ReadyRequest,
    ReadyResponse,
)

from ..context import Context
from ..metrics import Metrics
from ..store import Store

DOCS = files("tallystick").joinpath("docs_page")
INDEX = {"ready": "current", "indexing": "behind", "degraded": "behind", "rebuilding": "rebuilding"}


class Health:
    """Public but for the metrics; the health answers say nothing but their state."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics

    def live(self, request: LiveRequest, context: Context) -> LiveResponse:
        return LiveResponse(status="live")

    def ready(self, request: ReadyRequest, context: Context) -> ReadyResponse:
        state = self._store.state()
        status = "degraded" if state.vectors == "degraded" else "ready"
        return ReadyResponse.model_validate({"status": status, "index": INDEX[state.vectors]})

    def metrics(self, request: MetricsRequest, context: Context) -> str:
        return self._metrics.render(self._store.state().behind)

    def get_openapi(self, request: GetOpenapiRequest, context: Context) -> dict[str, Any]:
        return load_openapi()

    def get_docs(self, request: GetDocsRequest, context: Context) -> str:
        return DOCS.joinpath("index.html").read_text("utf-8")

    def get_tools(self, request: GetToolsRequest, context: Context) -> dict[str, Any]:
        return {"tools": load_tools()}
