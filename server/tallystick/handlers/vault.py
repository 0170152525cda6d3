"""Handlers of the group vault: the Memvault tools over the one store."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any

from tallystick_contract.models import (
    EvidenceItem,
    MemvaultContextRequest,
    MemvaultContextResponse,
    MemvaultMemoryUpdateRequest,
    MemvaultMemoryUpdateResponse,
    MemvaultSearchRequest,
    MemvaultSearchResponse,
)

from ..context import Context
from ..recall.budget import tokens
from ..recall.excerpt import first_paragraphs
from ..store import Filter, Hit, MemoryChanges, MemoryDraft, MemoryHit, MemoryRecord, SessionRecord
from ..times import when
from .named_session import CURRENT, current_session, named_session
from .search import search
from .sizes import check_text_size

CORE_ITEMS, CORE_TOKENS = 20, 8_000
CANDIDATES = 100
RELATED = 10
CORE = ("background", "preference")


class Vault:
    """Context at the start, search over everything, and writing what was learned."""

    def memvault_context(self, request: MemvaultContextRequest, context: Context) -> MemvaultContextResponse:
        unit, query = context.unit, request.query or ""
        coming = unit.embed_soon(query) if query else None
        agents = (request.agent or context.caller.agent,)
        where = Filter(kinds=CORE if coming is None else (*CORE, "knowledge"), agents=agents, pending=False)
        if coming is None:
            memories = unit.memories.page(where, CANDIDATES)
        else:
            found = search(unit, query, coming, CANDIDATES, where)
            memories = unit.memories.get_many([memory_id for memory_id, _ in found])
        core: list[dict[str, Any]] = []
        weight = 0
        for memory in memories:
            item = _core(memory)
            size = tokens(item)
            if weight + size <= CORE_TOKENS and len(core) < CORE_ITEMS:
                core.append(item)
                weight += size
        answer: dict[str, Any] = {"core": core, "related": []}
        omitted = unit.memories.count(where) - len(core)
        if omitted > 0:
            answer["core_omitted"] = omitted
        if "session:read" in context.caller.scopes:
            here = _here(request, context)
            if coming is None:
                relevance, sessions = {}, unit.sessions.latest(RELATED + 1)
            else:
                near = unit.sessions.related(query, RELATED + 1, coming.result())
                relevance = dict(near)
                sessions = unit.sessions.get_many([session_id for session_id, _ in near])
            others = [session for session in sessions if session.id not in here and session.native_id not in here]
            answer["related"] = [_related(session, relevance.get(session.id)) for session in others[:RELATED]]
        return MemvaultContextResponse.model_validate(answer)

    def memvault_search(self, request: MemvaultSearchRequest, context: Context) -> MemvaultSearchResponse:
        started = time.perf_counter()
        found = context.unit.search(
            request.query,
            kind=request.kind,
            agent=request.agent,
            role=request.role,
            sort=request.sort,
            limit=request.limit,
            offset=request.offset,
        )
        answer: dict[str, Any] = {
            "results": [_hit(hit) for hit in found.hits],
            "total": found.total,
            "query_time_ms": round((time.perf_counter() - started) * 1000),
        }
        if found.interpreted is not None:
            answer["query_interpreted"] = found.interpreted
        return MemvaultSearchResponse.model_validate(answer)

    def memvault_memory_update(
        self, request: MemvaultMemoryUpdateRequest, context: Context
    ) -> MemvaultMemoryUpdateResponse:
        check_text_size("body", request.body)
        session = _session_of(request.session, context)
        memory = (
            self._create(request, session, context) if request.id is None else self._replace(request, session, context)
        )
        context.subject = memory.id
        return MemvaultMemoryUpdateResponse(id=memory.id, revision=memory.revision, created=request.id is None)

    def _create(self, request: MemvaultMemoryUpdateRequest, session: str | None, context: Context) -> MemoryRecord:
        draft = MemoryDraft(
            kind=request.kind,
            title=request.title,
            summary=first_paragraphs(request.body)[0],
            body=request.body,
            agent=context.caller.agent,
            author=request.author,
            session=session,
            evidence=_evidence(request.evidence or [], context),
            covered=request.covered or (),
            parents=request.parents or (),
            pending=request.pending or False,
            tags=request.tags or (),
        )
        return context.unit.memories.create(draft, context.now)

    def _replace(self, request: MemvaultMemoryUpdateRequest, session: str | None, context: Context) -> MemoryRecord:
        changes: MemoryChanges = {
            "kind": request.kind,
            "title": request.title,
            "summary": first_paragraphs(request.body)[0],
            "body": request.body,
            "tags": request.tags or (),  # a replacement: tags that it does not name are cleared
        }
        if request.evidence is not None:
            changes["evidence"] = _evidence(request.evidence, context)
        if request.covered is not None:
            changes["covered"] = request.covered
        if session is not None:
            changes["session"] = session
        if request.author is not None:
            changes["author"] = request.author
        if request.pending:
            changes["pending"] = True
        assert request.id is not None
        return context.unit.memories.update(
            request.id, changes, request.parents or (), agent=context.caller.agent, now=context.now
        )


def _core(memory: MemoryRecord) -> dict[str, Any]:
    return {
        "id": memory.id,
        "revision": memory.revision,
        "title": memory.title,
        "kind": memory.kind,
        "body": memory.body,
        "evidence": list(memory.evidence),
        "updated": when(memory.updated),
        "author": memory.author or memory.agent,
    }


def _related(session: SessionRecord, relevance: float | None) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "session": session.id,
        "title": session.title,
        "agent": session.agent,
        "timestamp": when(session.updated),
    }
    return shown if relevance is None else {**shown, "relevance": relevance}


def _here(request: MemvaultContextRequest, context: Context) -> set[str]:
    """Ids of the session the caller is in, which is no news to it."""
    named = set() if request.native_id is None else {request.native_id}
    if request.session is not None:
        named.add(named_session(context, request.session, "session").id)
    if context.caller.native_session is not None:
        named.add(context.caller.native_session)
    return named


def _session_of(name: str | None, context: Context) -> str | None:
    """The id of a session that is known, the name as it is of one that was not captured."""
    if name is None:
        return None
    if name == CURRENT:
        return named_session(context, name, "session").id
    known = context.unit.sessions.get(name, context.caller.agent)
    return name if known is None else known.id


def _evidence(given: list[EvidenceItem], context: Context) -> list[dict[str, Any]]:
    """Evidence as it was given; `current` becomes the session's id where it tells one."""
    items = [item.model_dump(exclude_none=True) for item in given]
    if any(item["session"] == CURRENT for item in items):
        session = current_session(context)
        if session is not None:
            items = [{**item, "session": session.id} if item["session"] == CURRENT else item for item in items]
    return items


def _hit(hit: Hit) -> dict[str, Any]:
    shown: dict[str, Any] = {
        name: when(value) if isinstance(value, datetime) else value for name, value in hit._asdict().items()
    }
    if isinstance(hit, MemoryHit) and not hit.pending:
        del shown["pending"]
    return shown
