"""Handlers of the group help: the contract explains itself."""

from __future__ import annotations

from functools import cache
from typing import Any

from tallystick_contract.documents import load_help
from tallystick_contract.errors import Code
from tallystick_contract.models import GetHelpRequest, GetHelpResponse, ListHelpRequest, ListHelpResponse

from ..context import Context
from ..problem import Problem
from .pages import EPOCH, Pages

FAILURE = ("code", "status", "retryable", "message", "next_action")


class Help:
    """Answers from help.json, which codegen cuts from the contract."""

    def get_help(self, request: GetHelpRequest, context: Context) -> GetHelpResponse:
        entry = _entries().get(request.topic.strip().lower())
        if entry is None:
            topics = ", ".join(load_help()["topics"])
            raise Problem(
                Code.NOT_FOUND,
                f"There is no help on {request.topic}; topics are {topics}, and every tool, operation and error code.",
                next_action="Call get_help with one of those names; workflow is a good start.",
            )
        return GetHelpResponse.model_validate(entry)

    def list_help(self, request: ListHelpRequest, context: Context) -> ListHelpResponse:
        limit = request.limit
        pages = Pages(context, "list_help", {})
        after = pages.after(request.cursor)
        names = list(_entries())
        if after is not None and after[1] not in names:  # of a version that explained something else
            raise Problem(Code.INVALID_CURSOR)
        start = 0 if after is None else names.index(after[1]) + 1
        shown = names[start : start + limit]
        items = [{key: _entries()[name][key] for key in ("topic", "kind", "title")} for name in shown]
        answer: dict[str, Any] = {"items": items}
        if start + limit < len(names):
            answer["next_cursor"] = pages.cursor(EPOCH, shown[-1])
        return ListHelpResponse.model_validate(answer)


@cache
def _entries() -> dict[str, dict[str, Any]]:
    """Every get_help answer by its lower-case name: topics, tools, operations, errors."""
    document = load_help()
    topics: dict[str, dict[str, Any]] = document["topics"]
    answers: list[dict[str, Any]] = [{"topic": name, "kind": "topic", **entry} for name, entry in topics.items()]
    answers += [{"topic": name, "kind": "tool", **entry} for name, entry in document["tools"].items()]
    answers += [{"topic": name, "kind": "operation", **entry} for name, entry in document["operations"].items()]
    for code, entry in document["errors"].items():
        failure = {key: entry[key] for key in FAILURE}
        answers.append(
            {
                "topic": code,
                "kind": "error",
                "title": entry["message"],
                "text": entry["explanation"],
                "failure": failure,
            }
        )
    for answer in answers:
        related = [*answer.get("see_also", ()), *(name for name, entry in topics.items() if _mentions(entry, answer))]
        if related:
            answer["see_also"] = list(dict.fromkeys(related))
    return {answer["topic"].lower(): answer for answer in answers}


def _mentions(entry: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Whether a topic points to a tool, or its text explains an error code: then that points back to the topic."""
    name = answer["topic"]
    return name in entry.get("see_also", ()) or (answer["kind"] == "error" and name in entry["text"])
