"""Handlers of the group index: how far the indexes are, and making them anew."""

from __future__ import annotations

from typing import Any

from tallystick_contract.models import GetIndexRequest, GetIndexResponse, RebuildIndexRequest, RebuildIndexResponse

from ..context import Context
from ..store import REBUILD_STEPS
from ..times import when


class Index:
    """The indexes are the server's, not a user's: they need the scope admin."""

    def get_index(self, request: GetIndexRequest, context: Context) -> GetIndexResponse:
        report = context.unit.index()
        answer: dict[str, Any] = {
            "state": report.state.vectors if report.error is None else "degraded",
            "memories": {"total": report.memories, "behind": report.state.behind},
            "sessions": {"total": report.sessions, "behind": report.state.sessions_behind},
            "vectors": {"total": report.vectors, "indexed": report.indexed},
        }
        rebuild = report.state.rebuild
        if rebuild is not None:
            number = len(REBUILD_STEPS) - len(rebuild.left) + 1
            answer["rebuild"] = {"step": rebuild.left[0], "number": number, "of": len(REBUILD_STEPS)}
            if rebuild.error is not None:
                answer["rebuild"]["error"] = rebuild.error
        if report.error is not None:
            answer["error"] = report.error
        return GetIndexResponse.model_validate(answer)

    def rebuild_index(self, request: RebuildIndexRequest, context: Context) -> RebuildIndexResponse:
        started = context.unit.rebuild_index()
        return RebuildIndexResponse(success=True, started=started, timestamp=when(context.now))
