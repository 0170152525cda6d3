"""Handlers of the group keys: who is calling, agent keys, the audit trail, and erasing a user's data."""

from __future__ import annotations

from typing import Any

from tallystick_contract.errors import Code
from tallystick_contract.models import (
    CreateKeyRequest,
    CreateKeyResponse,
    EraseUserDataRequest,
    EraseUserDataResponse,
    ListAuditRequest,
    ListAuditResponse,
    ListKeysRequest,
    ListKeysResponse,
    RevokeKeyRequest,
    RevokeKeyResponse,
    WhoamiRequest,
    WhoamiResponse,
)
from tallystick_contract.operations import SCOPES

from ..caller import Authenticator
from ..context import Context
from ..problem import Problem
from ..store import AuditFilter
from ..times import parse_time, when
from .pages import Pages


class Keys:
    """Keys and the audit trail are the server's, not a user's: they need the scope admin."""

    def __init__(self, authenticator: Authenticator) -> None:
        self._authenticator = authenticator

    def whoami(self, request: WhoamiRequest, context: Context) -> WhoamiResponse:
        caller = context.caller
        return WhoamiResponse.model_validate(
            {
                "user": caller.user,
                "agent": caller.agent,
                "scopes": _ordered(caller.scopes),
                "key_id": caller.key_id,
            }
        )

    def create_key(self, request: CreateKeyRequest, context: Context) -> CreateKeyResponse:
        scopes = list(SCOPES) if "all" in request.scopes else _ordered(request.scopes)
        user = request.user or context.caller.user
        record, token = context.unit.keys.create(user, request.agent, scopes, context.now)
        context.subject = record.id
        return CreateKeyResponse.model_validate(
            {
                "key": token,
                "id": record.id,
                "user": record.user,
                "agent": record.agent,
                "scopes": _ordered(record.scopes),
                "created": when(record.created),
            }
        )

    def replay_create_key(self, answer: dict[str, Any], context: Context) -> CreateKeyResponse:
        """The secret is kept nowhere, so a replay shows the key without it."""
        return CreateKeyResponse.model_validate(answer)

    def list_keys(self, request: ListKeysRequest, context: Context) -> ListKeysResponse:
        limit = request.limit
        pages = Pages(context, "list_keys", {})
        after = pages.after(request.cursor)
        newest_first = sorted(context.unit.keys.list(), key=lambda key: (key.created, key.id), reverse=True)
        rows = [key for key in newest_first if after is None or (key.created, key.id) < after]
        shown = rows[:limit]
        items = []
        for key in shown:
            item: dict[str, Any] = {
                "id": key.id,
                "user": key.user,
                "agent": key.agent,
                "scopes": _ordered(key.scopes),
                "created": when(key.created),
            }
            if key.revoked is not None:
                item["revoked"] = when(key.revoked)
            items.append(item)
        answer: dict[str, Any] = {"items": items}
        if len(rows) > limit:
            answer["next_cursor"] = pages.cursor(shown[-1].created, shown[-1].id)
        return ListKeysResponse.model_validate(answer)

    def revoke_key(self, request: RevokeKeyRequest, context: Context) -> RevokeKeyResponse:
        keys = context.unit.keys
        keys.revoke(request.key_id, context.now)
        key = keys.get(request.key_id)
        if key is None or key.revoked is None:
            raise Problem(
                Code.NOT_FOUND,
                f"There is no key {request.key_id}.",
                next_action="Take the id of the key, not the key itself, from GET /v1/keys or `tallystick keys list`.",
            )
        context.subject = key.id
        context.unit.after_commit(self._authenticator.forget)
        return RevokeKeyResponse(success=True, id=key.id, revoked=True, timestamp=when(key.revoked))

    def list_audit(self, request: ListAuditRequest, context: Context) -> ListAuditResponse:
        limit = request.limit
        asked = request.model_dump(mode="json", exclude={"limit", "cursor"}, exclude_none=True)
        pages = Pages(context, "list_audit", asked)
        where = AuditFilter(
            operation=request.operation,
            agent=request.agent,
            user=request.user,
            since=parse_time("since", request.since),
            until=parse_time("until", request.until),
        )
        rows = context.unit.audit.page(limit + 1, pages.after(request.cursor), where)
        shown = rows[:limit]
        items = []
        for row in shown:
            item: dict[str, Any] = {
                "time": when(row.time),
                "operation": row.operation,
                "agent": row.agent,
                "user": row.user,
                "outcome": row.outcome,
                "duration_ms": row.duration_ms,
                "request_id": row.request_id,
            }
            if row.subject is not None:
                item["subject"] = row.subject
            items.append(item)
        answer: dict[str, Any] = {"items": items}
        if len(rows) > limit:
            answer["next_cursor"] = pages.cursor(shown[-1].time, shown[-1].id)
        return ListAuditResponse.model_validate(answer)

    def erase_user_data(self, request: EraseUserDataRequest, context: Context) -> EraseUserDataResponse:
        if request.confirm != context.caller.user:
            raise Problem(
                Code.CONFLICT,
                "confirm does not repeat the name of the calling user; nothing was erased.",
                next_action="Read the user's name with GET /v1/me and send it as confirm.",
            )
        return EraseUserDataResponse.model_validate(
            {
                "success": True,
                "user": context.caller.user,
                "erased": context.unit.erase_owner(),
                "backups": context.unit.store.backups(),
                "timestamp": when(context.now),
            }
        )


def _ordered(scopes: Any) -> list[str]:
    return [scope for scope in SCOPES if scope in scopes]
