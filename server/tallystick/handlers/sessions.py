"""Handlers of the group sessions: captured, read page by page, linked, erased."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tallystick_contract.errors import Code
from tallystick_contract.models import (
    AppendMessagesRequest,
    AppendMessagesResponse,
    CaptureSessionRequest,
    CaptureSessionResponse,
    EraseSessionRequest,
    EraseSessionResponse,
    ListLinksRequest,
    ListLinksResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    MemvaultSessionLinkRequest,
    MemvaultSessionLinkResponse,
    MemvaultSessionReadRequest,
    MemvaultSessionReadResponse,
    MessageInput,
)

from ..context import Context
from ..problem import Problem
from ..recall.budget import BYTES_PER_TOKEN, tokens
from ..store import Appended, LinkRecord, MessageDraft, MessageRecord, SessionDraft, SessionFilter, SessionRecord
from ..times import parse_time, when
from .named_session import named_session
from .pages import Pages

PAGE_TOKENS = 20_000
LONGEST = (PAGE_TOKENS - 1_000) * BYTES_PER_TOKEN // 4  # characters of one message, even of four bytes each


class Sessions:
    """Transcripts of all the user's agents."""

    def memvault_session_read(
        self, request: MemvaultSessionReadRequest, context: Context
    ) -> MemvaultSessionReadResponse:
        session = named_session(context, request.session, "session")
        alone = request.message is not None and request.limit == 1
        rows = context.unit.sessions.messages(
            session.id,
            limit=request.limit,
            offset=request.offset,
            start=request.message,
            content_chars=None if alone else LONGEST,
        )
        messages: list[dict[str, Any]] = []
        weight = 500
        for row in rows:
            message = _message(row)
            weight += tokens(message)
            if messages and weight > PAGE_TOKENS:
                break
            messages.append(message)
        answer: dict[str, Any] = {"session": _session(session), "messages": messages}
        if messages:
            answer["offset"] = rows[0].position
            after = rows[0].position + len(messages)
            if after < session.message_count:
                answer["next_offset"] = after
            if len(messages) < len(rows):
                answer["truncated"] = True
        return MemvaultSessionReadResponse.model_validate(answer)

    def memvault_session_link(
        self, request: MemvaultSessionLinkRequest, context: Context
    ) -> MemvaultSessionLinkResponse:
        source = named_session(context, request.from_, "from")
        target = named_session(context, request.to, "to")
        link, _ = context.unit.links.add(source.id, target.id, request.kind, context.now)
        context.subject = link.id
        return MemvaultSessionLinkResponse.model_validate(_link(link))

    def list_sessions(self, request: ListSessionsRequest, context: Context) -> ListSessionsResponse:
        asked = request.model_dump(mode="json", exclude={"limit", "cursor"}, exclude_none=True)
        pages = Pages(context, "list_sessions", asked)
        where = SessionFilter(
            agent=request.agent,
            since=parse_time("since", request.since),
            until=parse_time("until", request.until),
            query=request.query or None,
        )
        rows = context.unit.sessions.page(where, request.limit + 1, pages.after(request.cursor))
        shown = rows[: request.limit]
        answer: dict[str, Any] = {"items": [_session(session) for session in shown]}
        if len(rows) > request.limit:
            answer["next_cursor"] = pages.cursor(shown[-1].created, shown[-1].id)
        return ListSessionsResponse.model_validate(answer)

    def list_links(self, request: ListLinksRequest, context: Context) -> ListLinksResponse:
        session = named_session(context, request.session, "session")
        pages = Pages(context, "list_links", {"session": session.id})
        after = pages.after(request.cursor)
        rows = [link for link in context.unit.links.of(session.id) if after is None or (link.created, link.id) > after]
        shown = rows[: request.limit]
        answer: dict[str, Any] = {"items": [_link(link) for link in shown]}
        if len(rows) > request.limit:
            answer["next_cursor"] = pages.cursor(shown[-1].created, shown[-1].id)
        return ListLinksResponse.model_validate(answer)

    def capture_session(self, request: CaptureSessionRequest, context: Context) -> CaptureSessionResponse:
        sessions, agent = context.unit.sessions, request.agent or context.caller.agent
        # By its id, or by what tells sessions apart: another agent may have one of the same native id.
        known = sessions.get_many([request.session])
        draft = SessionDraft(
            agent=known[0].agent if known else agent,
            native_id=known[0].native_id if known else request.session,
            title=request.title,
            cwd=request.cwd,
            created=parse_time("created", request.created),
            updated=parse_time("updated", request.updated),
        )
        session, created = sessions.upsert(draft, context.now)
        given = request.messages or []
        appended = sessions.append(session.id, _drafts(given))
        removed, count = 0, appended.message_count
        if request.complete and request.messages is not None:
            arranged = sessions.arrange(session.id, [message.id for message in given])
            removed, count = arranged.removed, arranged.message_count
        context.subject = session.id
        receipt = _receipt(session.id, appended, context) | {
            "created": created,
            "removed": removed,
            "message_count": count,
        }
        return CaptureSessionResponse.model_validate(receipt)

    def append_messages(self, request: AppendMessagesRequest, context: Context) -> AppendMessagesResponse:
        sessions = context.unit.sessions
        session = named_session(context, request.session, "session")
        removed = sessions.withdraw(session.id, request.withdrawn).removed if request.withdrawn else 0
        appended = sessions.append(session.id, _drafts(request.messages), context.now)
        context.subject = session.id
        return AppendMessagesResponse.model_validate(_receipt(session.id, appended, context) | {"removed": removed})

    def erase_session(self, request: EraseSessionRequest, context: Context) -> EraseSessionResponse:
        session = context.unit.sessions.get(request.session, context.caller.agent)
        if session is None:
            raise Problem(Code.NOT_FOUND, f"Session not found: {request.session}")
        context.unit.sessions.erase(session.id)
        return EraseSessionResponse(
            success=True,
            session=session.id,
            erased=True,
            messages=session.message_count,
            backups=context.unit.store.backups(),
            timestamp=when(context.now),
        )


def _drafts(messages: Iterable[MessageInput]) -> Iterable[MessageDraft]:
    for number, message in enumerate(messages):
        at = parse_time(f"messages/{number}/timestamp", message.timestamp)
        yield MessageDraft(message.id, message.role, message.content, at)


def _receipt(session_id: str, appended: Appended, context: Context) -> dict[str, Any]:
    return {
        "success": True,
        "session": session_id,
        "new": appended.new,
        "known": appended.known,
        "changed": appended.changed,
        "message_count": appended.message_count,
        "timestamp": when(context.now),
    }


def _session(session: SessionRecord) -> dict[str, Any]:
    shown = {
        "id": session.id,
        "agent": session.agent,
        "native_id": session.native_id,
        "title": session.title,
        "cwd": session.cwd,
        "created": when(session.created),
        "updated": when(session.updated),
        "message_count": session.message_count,
    }
    return {name: value for name, value in shown.items() if value is not None}


def _message(row: MessageRecord) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": row.id, "version": row.version, "role": row.role, "content": row.content}
    if len(row.content) < row.content_length:
        shown |= {"content_truncated": True, "content_length": row.content_length}
    if row.timestamp is not None:
        shown["timestamp"] = when(row.timestamp)
    return shown


def _link(link: LinkRecord) -> dict[str, Any]:
    return {
        "link_id": link.id,
        "from": link.source,
        "to": link.target,
        "kind": link.kind,
        "created": when(link.created),
    }
