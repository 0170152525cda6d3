"""Actions of integration_mutate that bring memories and issues together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallystick_contract.models import (
    IntegrationMutateCrossReferenceLinearMemoryRequest,
    IntegrationMutateCrossReferenceLinearMemoryResponse,
    IntegrationMutateLinkMemoryToLinearIssueRequest,
    IntegrationMutateLinkMemoryToLinearIssueResponse,
    IntegrationMutateUpdateTicketFromMemoryRequest,
    IntegrationMutateUpdateTicketFromMemoryResponse,
)

from ...context import Context
from ...linear import Connection, LinearFailure, Workspace, shown
from ...linear.filters import titled
from ...recall.terms import related, strongest
from ...store import STOP, MemoryRecord, NotFound, Unit
from ...times import when
from .asking import UNREADABLE, Asking, enveloped, memory_of, sending
from .issues import commented

MOST = 5  # issues that a memory is linked to at once
LOOKED_AT = 50
TITLE = 120  # characters of a memory's summary in Linear


class Links(Asking):
    """A link is kept with the memory; Linear is shown it where this server has a public URL."""

    async def integration_mutate_link_memory_to_linear_issue(
        self, request: IntegrationMutateLinkMemoryToLinearIssueRequest, context: Context
    ) -> IntegrationMutateLinkMemoryToLinearIssueResponse:
        model = IntegrationMutateLinkMemoryToLinearIssueResponse
        memory = await memory_of(context, request.memory_id)

        async def work(linear: Connection) -> IntegrationMutateLinkMemoryToLinearIssueResponse:
            issue = (await linear.ask("ResolveIssue", id=request.issue_id))["issue"]
            attachment = await self._attached(linear, memory, issue)

            def record(unit: Unit) -> IntegrationMutateLinkMemoryToLinearIssueResponse:
                before = {link["issue_id"] for link in _current(unit, memory.id).linear_issues}
                after = link(unit, context, memory.id, linear.workspace, [issue])
                data: dict[str, Any] = {"memory_id": memory.id, "revision": after.revision}
                data |= {"issue": shown.issue_ref(issue), "already_linked": issue["id"] in before, **attachment}
                return model.model_validate(enveloped(f"Memory linked to {issue['identifier']}.", data))

            return await context.errand.record(record)

        return await self._written(request, context, model, work)

    async def integration_mutate_cross_reference_linear_memory(
        self, request: IntegrationMutateCrossReferenceLinearMemoryRequest, context: Context
    ) -> IntegrationMutateCrossReferenceLinearMemoryResponse:
        model = IntegrationMutateCrossReferenceLinearMemoryResponse
        memory = await memory_of(context, request.memory_id)
        terms = strongest(memory.title, memory.summary, memory.body, memory.tags, STOP)

        async def work(linear: Connection) -> IntegrationMutateCrossReferenceLinearMemoryResponse:
            rows: list[dict[str, Any]] = []
            if terms:
                found = await linear.ask(
                    "SearchLinearIssues", filter=titled(terms), first=LOOKED_AT, withDescription=False
                )
                rows = found["issues"]["nodes"]
            near = related(terms, [row["title"] for row in rows], MOST)
            issues = [rows[each.place] for each in near]
            attachments = [await self._attached(linear, memory, issue) for issue in issues]

            def record(unit: Unit) -> IntegrationMutateCrossReferenceLinearMemoryResponse:
                before = {link["issue_id"] for link in _current(unit, memory.id).linear_issues}
                after = link(unit, context, memory.id, linear.workspace, issues)
                linked = [
                    {
                        "issue": shown.issue_ref(issue),
                        "why": f"Its title has {_named(each.terms)}, of the strongest terms of the memory.",
                        "matched_terms": list(each.terms),
                        "already_linked": issue["id"] in before,
                        **attachment,
                    }
                    for each, issue, attachment in zip(near, issues, attachments, strict=True)
                ]
                data = {"memory_id": memory.id, "revision": after.revision, "terms": terms, "linked": linked}
                many = "1 related Linear issue" if len(linked) == 1 else f"{len(linked)} related Linear issues"
                text = f"Memory linked to {many}." if linked else "No related Linear issue was found."
                return model.model_validate(enveloped(text, {**data, "total": len(linked)}))

            return await context.errand.record(record)

        return await self._written(request, context, model, work)

    async def integration_mutate_update_ticket_from_memory(
        self, request: IntegrationMutateUpdateTicketFromMemoryRequest, context: Context
    ) -> IntegrationMutateUpdateTicketFromMemoryResponse:
        model = IntegrationMutateUpdateTicketFromMemoryResponse
        memory = await memory_of(context, request.memory_id)

        async def work(linear: Connection) -> IntegrationMutateUpdateTicketFromMemoryResponse:
            issue = (await linear.ask("ResolveIssue", id=request.issue_id))["issue"]
            data = {"memory_id": memory.id, "issue": shown.issue_ref(issue), "update_type": request.update_type}
            if request.update_type == "add_comment":
                row = await commented(context, linear, issue, _told(memory))
                data |= {"comment_id": row["id"], **({"url": row["url"]} if row.get("url") else {})}
                text = f"The memory was added to {issue['identifier']} as a comment."
            else:
                await _described(context, linear, issue, memory)
                text = f"The memory was added to the description of {issue['identifier']}."
            return await context.errand.record(lambda unit: model.model_validate(enveloped(text, data)))

        return await self._written(request, context, model, work)

    async def _attached(self, linear: Connection, memory: MemoryRecord, issue: dict[str, Any]) -> dict[str, Any]:
        """Have Linear show a link to the memory. Its URL is its key there, so that doing it again changes nothing; where it fails,
        the memory is linked all the same."""
        if self._public_url is None:
            return {}
        url = f"{self._public_url}/v1/memories/{memory.id}"
        asked = {"issueId": issue["id"], "title": memory.title[:TITLE], "subtitle": "Memory", "url": url}
        try:
            await linear.tell("AttachMemoryToLinearIssue", input=asked)
        except LinearFailure as failure:
            return {"attachment": {"attached": False, "url": url, "reason": str(failure)}}
        except UNREADABLE:
            return {"attachment": {"attached": False, "url": url, "reason": "Linear's answer cannot be read."}}
        return {"attachment": {"attached": True, "url": url}}


def link(
    unit: Unit, context: Context, memory_id: str, workspace: Workspace, issues: Sequence[dict[str, Any]]
) -> MemoryRecord:
    """Link a memory to issues; one that is linked to them under other identifiers learns the new ones.

    Raises:
        NotFound: the memory is gone.
    """
    memory = _current(unit, memory_id)
    links = {each["issue_id"]: each for each in memory.linear_issues}
    for issue in issues:
        named = {
            "issue_id": issue["id"],
            "identifier": issue["identifier"],
            "workspace": workspace.label,
            "url": issue["url"],
        }
        links[issue["id"]] = named | {"linked": links.get(issue["id"], {}).get("linked") or when(context.now)}
    if list(links.values()) == list(memory.linear_issues):
        return memory
    return unit.memories.update(
        memory_id, {"linear_issues": list(links.values())}, agent=context.caller.agent, now=context.now
    )


def _current(unit: Unit, memory_id: str) -> MemoryRecord:
    memory = unit.memories.get(memory_id)
    if memory is None:  # erased while Linear was asked
        raise NotFound("memory", memory_id)
    return memory


def _named(terms: Sequence[str]) -> str:
    return " and ".join([", ".join(terms[:-1]), terms[-1]] if len(terms) > 1 else terms)


def _told(memory: MemoryRecord) -> str:
    """A memory as Markdown."""
    summary = [memory.summary] if memory.summary not in (memory.title, memory.body) else []
    parts = [f"**{memory.title}**", *summary, memory.body, f"*From memory {memory.id}.*"]
    return "\n\n".join(parts)


async def _described(context: Context, linear: Connection, issue: dict[str, Any], memory: MemoryRecord) -> None:
    """Add a memory to an issue's description, below what is there: that is not ours to replace."""
    before = issue["description"] or ""
    asked = {"description": "\n\n---\n\n".join(filter(None, [before.rstrip(), _told(memory)]))}

    async def settle() -> dict[str, Any] | None:
        found = dict(await linear.ask("GetLinearIssue", id=issue["id"]))
        return found if found["issue"]["description"] == asked["description"] else None

    await sending(context, linear, "UpdateLinearIssue", issue["id"], settle, id=issue["id"], input=asked)
