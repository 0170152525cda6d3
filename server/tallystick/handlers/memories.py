"""Handlers of the group memories: store, recall, search, read, change and erase."""

from __future__ import annotations

from typing import Any

from tallystick_contract.errors import Code
from tallystick_contract.models import (
    EditMemoryRequest,
    EditMemoryResponse,
    EraseMemoryRequest,
    EraseMemoryResponse,
    GetMemoryDetailRequest,
    GetMemoryDetailResponse,
    ListMemoriesRequest,
    ListMemoriesResponse,
    ListRevisionsRequest,
    ListRevisionsResponse,
    RecallContextRequest,
    RecallContextResponse,
    RecallMemoryRequest,
    RecallMemoryResponse,
    SearchMemoriesRequest,
    SearchMemoriesResponse,
    StoreContextRequest,
    StoreContextResponse,
)

from ..context import Context
from ..problem import Problem
from ..recall.budget import BudgetTooSmall, fit
from ..recall.persona import hint
from ..recall.segments import label
from ..recall.topics import merge, plan, searched_text
from ..store import Filter, MemoryChanges, MemoryDraft, MemoryRecord
from ..times import parse_time, when
from .pages import Pages
from .render import PREVIEW, memory_detail, memory_hit, memory_item
from .search import search
from .sizes import check_text_size


class Memories:
    """One store, spoken to by the Nexus tools, recall_memory and the REST lists."""

    def recall_context(self, request: RecallContextRequest, context: Context) -> RecallContextResponse:
        unit = context.unit
        text = searched_text(request.query, request.user_query_full, request.use_full_query)
        chosen = plan(text, request.topics)
        where = Filter(pending=False)
        vectors = {each: unit.embed_soon(each) for each in dict.fromkeys([*(b.text for b in chosen.branches), text])}
        found = merge(
            chosen,
            [search(unit, branch.text, vectors[branch.text], chosen.per_topic, where) for branch in chosen.branches],
        )
        shown = found.memories[: chosen.max_total]
        records = {memory.id: memory for memory in unit.memories.get_many([memory_id for memory_id, _ in shown])}
        answer: dict[str, Any] = {"memories": [memory_hit(records[i], score) for i, score in shown if i in records]}
        nearness = dict(unit.personas.nearest(vectors[text].result()))
        persona = hint([(records[i].persona, score) for i, score in shown if i in records], nearness, nearness)
        if persona is not None:
            answer["persona_hint"] = persona
        if chosen.fanned_out:
            groups = [{"topic": group.topic, "memory_ids": list(group.memory_ids)} for group in found.groups]
            answer |= {"fanned_out": True, "topic_count": len(groups), "topic_groups": groups}
        if chosen.dropped:
            answer["topics_dropped"] = [label(topic) for topic in chosen.dropped]
        if "facts:read" in context.caller.scopes:
            first = request.conversation_id is None or unit.conversations.mark(request.conversation_id)
            facts = unit.facts.get() if first else {}
            if facts:
                answer["user_facts"] = facts
        return RecallContextResponse.model_validate(answer)

    def search_memories(self, request: SearchMemoriesRequest, context: Context) -> SearchMemoriesResponse:
        unit = context.unit
        text = searched_text(request.query, request.user_query_full)
        found = search(unit, text, unit.embed_soon(text), request.max_results, Filter())
        records = {memory.id: memory for memory in unit.memories.get_many([memory_id for memory_id, _ in found])}
        hits = [memory_hit(records[memory_id], score) for memory_id, score in found if memory_id in records]
        return SearchMemoriesResponse.model_validate({"memories": hits})

    def get_memory_detail(self, request: GetMemoryDetailRequest, context: Context) -> GetMemoryDetailResponse:
        return GetMemoryDetailResponse.model_validate(memory_detail(_existing(context, request.memory_id)))

    def store_context(self, request: StoreContextRequest, context: Context) -> StoreContextResponse:
        check_text_size("context", request.context)
        memory = context.unit.memories.create(
            MemoryDraft(
                kind="summary",
                title=request.summary,
                summary=request.summary,
                body=request.context,
                agent=context.caller.agent,
                session=request.conversation_id,
                conversation_id=request.conversation_id,
                user_query=request.user_query,
                persona=request.persona,
                billable=request.billable,
                company_client=request.company_client,
                client_project=request.client_project,
                artifact_url=request.artifact_url,
                tags=request.tags or (),
            ),
            context.now,
        )
        context.subject = memory.id
        return StoreContextResponse(
            success=True,
            memory_id=memory.id,
            revision=memory.revision,
            conversation_id=request.conversation_id,
            timestamp=when(memory.created),
        )

    def recall_memory(self, request: RecallMemoryRequest, context: Context) -> RecallMemoryResponse:
        detail, limit = request.detail, request.limit
        status, tags, query = request.status, tuple(request.tags or ()), request.query or None
        pages = Pages(context, "recall_memory", {"query": query, "tags": sorted(tags), "status": status})
        where = Filter(status=status, query=query, tags=tags)
        after = pages.after(request.cursor)
        rows = context.unit.memories.page(where, limit + 1, after, body_chars=_body_chars(detail))
        shown = rows[:limit]
        try:
            page = fit(
                [memory_item(memory, detail) for memory in shown],
                request.max_tokens,
                more=len(rows) > limit,
                cursor=lambda used: pages.cursor(shown[used - 1].created, shown[used - 1].id),
            )
        except BudgetTooSmall as error:
            raise Problem(
                Code.BUDGET_TOO_SMALL,
                f"Not even the first item fits into max_tokens; it needs {error.needed}.",
                next_action=f"Call again with max_tokens {error.needed} or more"
                + ("." if detail == "metadata" else ", or with detail metadata."),
            ) from None
        return RecallMemoryResponse.model_validate(page.response)

    def list_memories(self, request: ListMemoriesRequest, context: Context) -> ListMemoriesResponse:
        limit = request.limit
        asked = request.model_dump(mode="json", exclude={"limit", "cursor"}, exclude_none=True)
        pages = Pages(context, "list_memories", asked)
        where = Filter(
            status=request.status,
            query=request.query or None,
            kinds=(request.kind,) if request.kind else (),
            agents=(request.agent,) if request.agent else (),
            tags=tuple(request.tags.split(",")) if request.tags else (),
            conversation_id=request.conversation_id,
            since=parse_time("since", request.since),
            until=parse_time("until", request.until),
        )
        rows = context.unit.memories.page(
            where, limit + 1, pages.after(request.cursor), body_chars=_body_chars("abstract")
        )
        shown = rows[:limit]
        answer: dict[str, Any] = {"items": [memory_item(memory, "abstract") for memory in shown]}
        if len(rows) > limit:
            answer["next_cursor"] = pages.cursor(shown[-1].created, shown[-1].id)
        return ListMemoriesResponse.model_validate(answer)

    def edit_memory(self, request: EditMemoryRequest, context: Context) -> EditMemoryResponse:
        given = request.model_dump(exclude={"memory_id", "parents"}, exclude_unset=True)
        check_text_size("body", given.get("body", ""))
        changes: MemoryChanges = given  # type: ignore[assignment]  # the schema allows just its fields
        memory = context.unit.memories.update(
            request.memory_id, changes, parents=request.parents or (), agent=context.caller.agent, now=context.now
        )
        context.subject = memory.id
        return EditMemoryResponse(
            success=True, memory_id=memory.id, revision=memory.revision, timestamp=when(memory.updated)
        )

    def erase_memory(self, request: EraseMemoryRequest, context: Context) -> EraseMemoryResponse:
        if not context.unit.memories.erase(request.memory_id):
            raise _unknown(request.memory_id)
        context.subject = request.memory_id
        return EraseMemoryResponse(
            success=True,
            memory_id=request.memory_id,
            erased=True,
            backups=context.unit.store.backups(),
            timestamp=when(context.now),
        )

    def list_revisions(self, request: ListRevisionsRequest, context: Context) -> ListRevisionsResponse:
        memory = _existing(context, request.memory_id)
        limit = request.limit
        pages = Pages(context, "list_revisions", {"memory_id": memory.id})
        rows = context.unit.revisions.page(memory.id, limit + 1, pages.after(request.cursor))
        shown = rows[:limit]
        items = [
            {
                "revision": row.revision,
                "parents": list(row.parents),
                "title": row.title,
                "summary": row.summary,
                "body": row.body,
                "kind": row.fields["kind"],
                "tags": sorted(row.fields["tags"]),
                "agent": row.agent,
                "created": when(row.created),
                "current": row.revision == memory.revision,
            }
            for row in shown
        ]
        answer: dict[str, Any] = {"items": items}
        if len(rows) > limit:
            answer["next_cursor"] = pages.cursor(shown[-1].created, shown[-1].revision)
        return ListRevisionsResponse.model_validate(answer)


def _existing(context: Context, memory_id: str) -> MemoryRecord:
    memory = context.unit.memories.get(memory_id)
    if memory is None:
        raise _unknown(memory_id)
    return memory


def _unknown(memory_id: str) -> Problem:
    return Problem(Code.NOT_FOUND, f"There is no memory {memory_id}.")


def _body_chars(detail: str) -> int | None:
    """How much of each body to read: none, enough for a preview, or all (None)."""
    return {"metadata": 0, "abstract": PREVIEW + 1}.get(detail)
