"""Handlers of the group personas: named ways of working that recall can hint at."""

from __future__ import annotations

from typing import Any

from tallystick_contract.errors import Code
from tallystick_contract.models import (
    DeletePersonaRequest,
    DeletePersonaResponse,
    GetPersonaDefinitionRequest,
    GetPersonaDefinitionResponse,
    ListPersonasRequest,
    ListPersonasResponse,
    PutPersonaRequest,
    PutPersonaResponse,
)

from ..context import Context
from ..problem import Problem
from ..recall.excerpt import cut
from ..times import when
from .pages import EPOCH, Pages
from .render import PREVIEW


class Personas:
    """One set of personas for all users of a server."""

    def get_persona_definition(
        self, request: GetPersonaDefinitionRequest, context: Context
    ) -> GetPersonaDefinitionResponse:
        persona = context.unit.personas.get(request.persona_name.strip().lower())
        if persona is None:
            raise _unknown(request.persona_name, context)
        return GetPersonaDefinitionResponse(
            name=persona.name,
            definition=persona.definition,
            communication_style=persona.communication_style,
            behavioral_guidelines=persona.behavioral_guidelines,
        )

    def list_personas(self, request: ListPersonasRequest, context: Context) -> ListPersonasResponse:
        limit = request.limit
        pages = Pages(context, "list_personas", {})
        after = pages.after(request.cursor)
        rows = [p for p in context.unit.personas.list() if after is None or p.name > after[1]]
        shown = rows[:limit]
        answer: dict[str, Any] = {"items": [{"name": p.name, "preview": cut(p.definition, PREVIEW)[0]} for p in shown]}
        if len(rows) > limit:
            answer["next_cursor"] = pages.cursor(EPOCH, shown[-1].name)
        return ListPersonasResponse.model_validate(answer)

    def put_persona(self, request: PutPersonaRequest, context: Context) -> PutPersonaResponse:
        personas = context.unit.personas
        created = personas.get(request.persona_name) is None
        personas.put(
            request.persona_name,
            request.definition,
            request.communication_style,
            request.behavioral_guidelines,
            context.now,
        )
        context.subject = request.persona_name
        return PutPersonaResponse(success=True, name=request.persona_name, created=created, timestamp=when(context.now))

    def delete_persona(self, request: DeletePersonaRequest, context: Context) -> DeletePersonaResponse:
        name = request.persona_name.strip().lower()
        if not context.unit.personas.delete(name):
            raise _unknown(request.persona_name, context)
        context.subject = name
        return DeletePersonaResponse(success=True, name=name, deleted=True, timestamp=when(context.now))


def _unknown(name: str, context: Context) -> Problem:
    known = ", ".join(persona.name for persona in context.unit.personas.list()) or "none"
    return Problem(
        Code.NOT_FOUND, f"There is no persona {name}; known are: {known}.", next_action="Use one of the names it lists."
    )
