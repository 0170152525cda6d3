"""Actions of integration_mutate that write issues, projects, labels and comments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar
from uuid import uuid4

from pydantic import BaseModel
from tallystick_contract.models import (
    IntegrationMutateAutoCreateLinearIssueRequest,
    IntegrationMutateAutoCreateLinearIssueResponse,
    IntegrationMutateCreateLinearCommentRequest,
    IntegrationMutateCreateLinearCommentResponse,
    IntegrationMutateCreateLinearIssueRequest,
    IntegrationMutateCreateLinearIssueResponse,
    IntegrationMutateCreateLinearLabelRequest,
    IntegrationMutateCreateLinearLabelResponse,
    IntegrationMutateCreateLinearProjectRequest,
    IntegrationMutateCreateLinearProjectResponse,
    IntegrationMutateSaveLinearIssueRequest,
    IntegrationMutateSaveLinearIssueResponse,
    IntegrationMutateUpdateLinearLabelRequest,
    IntegrationMutateUpdateLinearLabelResponse,
)

from ...context import Context
from ...linear import Connection, shown
from ...store import Unit
from .asking import Asking, Lost, enveloped, sending
from .wanted import DEFAULT_PRIORITY, issue_input, lacking, lost

M = TypeVar("M", bound=BaseModel)


class Issues(Asking):
    """Writes that Linear keeps."""

    async def integration_mutate_create_linear_issue(
        self, request: IntegrationMutateCreateLinearIssueRequest, context: Context
    ) -> IntegrationMutateCreateLinearIssueResponse:
        return await self._create(request, context, IntegrationMutateCreateLinearIssueResponse)

    async def integration_mutate_auto_create_linear_issue(
        self, request: IntegrationMutateAutoCreateLinearIssueRequest, context: Context
    ) -> IntegrationMutateAutoCreateLinearIssueResponse:
        return await self._create(request, context, IntegrationMutateAutoCreateLinearIssueResponse)

    async def integration_mutate_save_linear_issue(
        self, request: IntegrationMutateSaveLinearIssueRequest, context: Context
    ) -> IntegrationMutateSaveLinearIssueResponse:
        model = IntegrationMutateSaveLinearIssueResponse
        if request.issue_id is None:
            return await self._create(request, context, model)
        asked, issue_id = issue_input(request), request.issue_id

        async def work(linear: Connection) -> IntegrationMutateSaveLinearIssueResponse:
            before = (await linear.ask("ResolveIssue", id=issue_id))["issue"]
            context.subject = before["id"]

            async def settle() -> dict[str, Any] | None:
                found = (await linear.ask("GetLinearIssue", id=before["id"]))["issue"]
                same = "description" not in asked or (found["description"] or "") == asked["description"]
                return {"issue": found} if same and not lacking(asked, found) else None

            payload = await sending(
                context, linear, "UpdateLinearIssue", before["id"], settle, id=before["id"], input=asked
            )
            row = payload["issue"]
            await _check(context, asked, row, "changed")
            data: dict[str, Any] = {"issue": _written(row), "created": False}
            if row["identifier"] == before["identifier"]:
                return await context.errand.record(
                    lambda unit: _model(model, f"Linear issue {row['identifier']} updated", data)
                )
            data |= {"moved": True, "previous_identifier": before["identifier"]}
            gone = _lost(lost(asked, before, row))
            data |= {"lost": gone} if gone else {}
            text = f"Linear issue {before['identifier']} is {row['identifier']} now. {before['identifier']} stops resolving."

            def record(unit: Unit) -> IntegrationMutateSaveLinearIssueResponse:
                renamed = _rename(unit, context, row)
                return _model(model, text, data | ({"memories_updated": renamed} if renamed else {}))

            return await context.errand.record(record)

        return await self._written(request, context, model, work)

    async def _create(self, request: Any, context: Context, model: type[M]) -> M:
        made = str(uuid4())
        asked = {"id": made, "priority": DEFAULT_PRIORITY, **issue_input(request)}

        async def work(linear: Connection) -> M:
            async def settle() -> dict[str, Any] | None:
                return dict(await linear.ask("GetLinearIssue", id=made))

            context.subject = made
            row = (await sending(context, linear, "CreateLinearIssue", made, settle, input=asked))["issue"]
            await _check(context, asked, row, "created")
            data = {"issue": _written(row), "created": True}
            return await context.errand.record(
                lambda unit: _model(model, f"Linear issue {row['identifier']} created", data)
            )

        return await self._written(request, context, model, work)

    async def integration_mutate_create_linear_project(
        self, request: IntegrationMutateCreateLinearProjectRequest, context: Context
    ) -> IntegrationMutateCreateLinearProjectResponse:
        model, made = IntegrationMutateCreateLinearProjectResponse, str(uuid4())
        teams = request.team_ids or [str(request.team_id)]
        asked = {"id": made, "name": request.name, "teamIds": teams}
        asked |= {"description": request.description} if request.description is not None else {}

        async def work(linear: Connection) -> IntegrationMutateCreateLinearProjectResponse:
            async def settle() -> dict[str, Any] | None:
                return dict(await linear.ask("GetLinearProject", id=made))

            context.subject = made
            row = (await sending(context, linear, "CreateLinearProject", made, settle, input=asked))["project"]
            data = {"project": shown.project(row)}
            return await context.errand.record(lambda unit: _model(model, "Linear project created", data))

        return await self._written(request, context, model, work)

    async def integration_mutate_create_linear_label(
        self, request: IntegrationMutateCreateLinearLabelRequest, context: Context
    ) -> IntegrationMutateCreateLinearLabelResponse:
        model, made = IntegrationMutateCreateLinearLabelResponse, str(uuid4())
        names = {"name": "name", "team_id": "teamId", "color": "color", "description": "description"}
        given = request.model_fields_set
        asked = {"id": made} | {theirs: getattr(request, ours) for ours, theirs in names.items() if ours in given}

        async def settle(linear: Connection) -> dict[str, Any] | None:
            return dict(await linear.ask("GetLinearLabel", id=made))

        async def work(linear: Connection) -> IntegrationMutateCreateLinearLabelResponse:
            context.subject = made
            row = (await sending(context, linear, "CreateLinearLabel", made, lambda: settle(linear), input=asked))[
                "issueLabel"
            ]
            return await context.errand.record(lambda unit: _model(model, "Linear label created", _label(row)))

        return await self._written(request, context, model, work)

    async def integration_mutate_update_linear_label(
        self, request: IntegrationMutateUpdateLinearLabelRequest, context: Context
    ) -> IntegrationMutateUpdateLinearLabelResponse:
        model = IntegrationMutateUpdateLinearLabelResponse
        given = request.model_fields_set
        asked: dict[str, Any] = {
            name: getattr(request, name) for name in ("name", "color", "description") if name in given
        }

        async def settle(linear: Connection) -> dict[str, Any] | None:
            found = dict(await linear.ask("GetLinearLabel", id=request.id))
            return None if _differing(asked, found["issueLabel"]) else found

        async def work(linear: Connection) -> IntegrationMutateUpdateLinearLabelResponse:
            context.subject = request.id
            payload = await sending(
                context, linear, "UpdateLinearLabel", request.id, lambda: settle(linear), id=request.id, input=asked
            )
            row = payload["issueLabel"]
            await _fail(context, "label", "changed", _differing(asked, row))
            return await context.errand.record(lambda unit: _model(model, "Linear label updated", _label(row)))

        return await self._written(request, context, model, work)

    async def integration_mutate_create_linear_comment(
        self, request: IntegrationMutateCreateLinearCommentRequest, context: Context
    ) -> IntegrationMutateCreateLinearCommentResponse:
        model = IntegrationMutateCreateLinearCommentResponse

        async def work(linear: Connection) -> IntegrationMutateCreateLinearCommentResponse:
            issue = (await linear.ask("ResolveIssue", id=request.issue_id))["issue"]
            row = await commented(context, linear, issue, request.body)
            data = {**_comment(row), "issue": shown.issue_ref(issue)}
            return await context.errand.record(
                lambda unit: _model(model, f"Comment added to {issue['identifier']}", data)
            )

        return await self._written(request, context, model, work)


async def commented(context: Context, linear: Connection, issue: Mapping[str, Any], body: str) -> dict[str, Any]:
    """Comment on an issue; the comment as Linear has it. The caller records it."""
    made = str(uuid4())
    context.subject = context.subject or made

    async def settle() -> dict[str, Any] | None:
        return dict(await linear.ask("GetLinearComment", id=made))

    asked = {"id": made, "issueId": issue["id"], "body": body}
    payload = await sending(context, linear, "CreateLinearComment", made, settle, input=asked)
    return dict(payload["comment"])


def _comment(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"comment_id": row["id"], **({"url": row["url"]} if row.get("url") else {})}


async def _check(context: Context, asked: dict[str, Any], row: dict[str, Any], done: str) -> None:
    await _fail(context, f"issue {row['identifier']}", done, lacking(asked, row))


async def _fail(context: Context, what: str, done: str, differ: list[str]) -> None:
    """Raise Lost where Linear answered success to a write that it carried out in part only."""
    if differ:
        text = f"Linear {what} was {done}, but Linear did not apply: {'; '.join(differ)}."
        await context.errand.unknown(text, partial=True)
        raise Lost(text)


def _differing(asked: Mapping[str, Any], row: Mapping[str, Any]) -> list[str]:
    """What was asked of a label and is not so. Its name is case-sensitive, and mending its case is what a rename is for."""

    def same(name: str) -> bool:
        there, wanted = str(row.get(name) or ""), str(asked[name] or "")
        return there.lower() == wanted.lower() if name == "color" else there == wanted

    return [name for name in asked if not same(name)]


def _written(row: dict[str, Any]) -> dict[str, Any]:
    return shown.issue({name: value for name, value in row.items() if name != "description"})


def _label(row: dict[str, Any]) -> dict[str, Any]:
    label = shown.label(row)
    return {"label": label, "scope": label["scope"]}


def _lost(rows: dict[str, Any]) -> dict[str, Any]:
    forms = {"project": shown.named, "cycle": shown.cycle}
    found: dict[str, Any] = {name: form(rows[name]) for name, form in forms.items() if name in rows}
    if "state" in rows:
        found["state"] = {name: rows["state"][name] for name in ("id", "name", "type")}
    if "labels" in rows:
        found["labels"] = [shown.named(label) for label in rows["labels"]]
    return found


def _rename(unit: Unit, context: Context, row: dict[str, Any]) -> int:
    """Write an issue's new identifier into the links of the memories that are linked to it; how many they are."""
    linked = unit.memories.of_issues([row["id"]])
    for memory in unit.memories.get_many(linked):
        links = [
            {**link, "identifier": row["identifier"], "url": row["url"]} if link["issue_id"] == row["id"] else link
            for link in memory.linear_issues
        ]
        unit.memories.update(memory.id, {"linear_issues": links}, agent=context.caller.agent, now=context.now)
    return len(linked)


def _model(model: type[M], message: str, data: dict[str, Any]) -> M:
    return model.model_validate(enveloped(message, data))
