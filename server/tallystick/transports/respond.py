"""HTTP responses of answers and problems."""

from __future__ import annotations

import json

from starlette.responses import Response
from tallystick_contract.errors import Code

from ..problem import Problem


def problem_response(problem: Problem, request_id: str | None = None) -> Response:
    """A problem as HTTP: the REST error form, with Retry-After and WWW-Authenticate where they belong."""
    headers = {}
    if request_id is not None:
        headers["x-request-id"] = request_id
    if problem.retry_after is not None:
        headers["retry-after"] = str(problem.retry_after)
    if problem.code is Code.UNAUTHENTICATED:
        headers["www-authenticate"] = 'Bearer realm="tallystick"'
    body = json.dumps(problem.wire("rest"), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return Response(body, problem.status, headers, "application/json")
