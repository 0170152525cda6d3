"""Records of the store in the forms the contract shows them in."""

from __future__ import annotations

from typing import Any

from ..recall.excerpt import LEAD, cut
from ..store import MemoryRecord
from ..times import when

PREVIEW = 400
TITLE = 200


def memory_item(memory: MemoryRecord, detail: str) -> dict[str, Any]:
    """A MemoryItem with what `detail` (metadata, abstract or full) asks for."""
    title, truncated = cut(memory.title, TITLE)
    item: dict[str, Any] = {
        "id": memory.id,
        "revision": memory.revision,
        "title": title,
        "kind": memory.kind,
        "tags": list(memory.tags),
        "status": memory.status,
        "created": when(memory.created),
        "updated": when(memory.updated),
    }
    if truncated:
        item["title_truncated"] = True
    if memory.pending:
        item["pending"] = True
    if detail == "abstract":
        preview, _ = cut(memory.body, PREVIEW)
        item |= {"preview": preview, "preview_truncated": memory.body_length > len(preview)}
    elif detail == "full":
        item["body"] = memory.body
    return item


def memory_hit(memory: MemoryRecord, confidence: float) -> dict[str, Any]:
    """A MemoryHit: the summary cut at 1200 characters, and the title where it says something else."""
    summary, truncated = cut(memory.summary, LEAD)
    hit: dict[str, Any] = {
        "memory_id": memory.id,
        "summary": summary,
        "confidence": confidence,
        "timestamp": when(memory.created),
        "kind": memory.kind,
        "agent": memory.agent,
    }
    if truncated:
        hit["summary_truncated"] = True
    if memory.pending:
        hit["pending"] = True
    if memory.title != memory.summary:
        hit["title"] = cut(memory.title, LEAD)[0]
    return hit


def memory_detail(memory: MemoryRecord) -> dict[str, Any]:
    """Everything of a memory, under the names of get_memory_detail; what is not set is absent."""
    detail: dict[str, Any] = {
        "memory_id": memory.id,
        "summary": memory.summary,
        "context": memory.body,
        "conversation_id": memory.conversation_id,
        "timestamp": when(memory.created),
        "persona": memory.persona,
        "artifact_url": memory.artifact_url,
        "company_client": memory.company_client,
        "client_project": memory.client_project,
        "revision": memory.revision,
        "kind": memory.kind,
        "title": memory.title,
        "tags": list(memory.tags),
        "status": memory.status,
        "pending": memory.pending or None,
        "agent": memory.agent,
        "author": memory.author,
        "billable": memory.billable,
        "created": when(memory.created),
        "updated": when(memory.updated),
        "session": memory.session,
        "user_query": memory.user_query,
        "linear_issues": list(memory.linear_issues) or None,
        "evidence": list(memory.evidence) or None,
        "covered": list(memory.covered) or None,
    }
    return {name: value for name, value in detail.items() if value is not None}
