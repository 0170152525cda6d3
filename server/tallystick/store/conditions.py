"""From a Filter to SQL conditions: its shape (which conditions it has) decides the statement, its values are bound."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, bindparam, select

from .clock import to_text
from .fulltext import How, holding, literal_values
from .records import Filter
from .tables import TABLES
from .text import fold

memories, tags = TABLES["memories"], TABLES["memory_tags"]
m = memories.c
Shape = tuple[bool, How, int, int, int, bool, bool, bool, bool, bool]


def values(where: Filter, owner: int) -> tuple[Shape, dict[str, Any]]:
    """The shape of a filter, and the values of its conditions with the owner's."""
    given: dict[str, Any] = {"owner": owner}
    how, sought = literal_values(fold(where.query or ""), owner)
    given |= sought
    if where.status != "all":
        given["status"] = where.status
    tags_wanted = tuple(dict.fromkeys(where.tags))
    for name, many in (("tag", tags_wanted), ("kind", where.kinds), ("agent", where.agents)):
        given |= {f"{name}_{i}": value for i, value in enumerate(many)}
    for name in ("pending", "conversation_id", "persona"):
        value = getattr(where, name)
        if value is not None:
            given[name] = value
    for name in ("since", "until"):
        moment = getattr(where, name)
        if moment is not None:
            given[name] = to_text(moment)
    shape: Shape = (
        "status" in given, how, len(tags_wanted), len(where.kinds), len(where.agents), "pending" in given,
        "conversation_id" in given, "persona" in given, "since" in given, "until" in given,
    )  # fmt: skip
    return shape, given


def conditions(shape: Shape) -> list[ColumnElement[bool]]:
    """The conditions of a shape, over the table memories; `owner` is bound by the statement they go into."""
    status, how, tag_count, kind_count, agent_count, pending, conversation, persona, since, until = shape
    made: list[ColumnElement[bool]] = []
    if status:
        made.append(m.status == bindparam("status"))
    made += holding(how)
    for i in range(tag_count):
        tagged = select(tags.c.memory_id).where(tags.c.owner == bindparam("owner"), tags.c.tag == bindparam(f"tag_{i}"))
        made.append(m.id.in_(tagged))
    if kind_count:
        made.append(m.kind.in_([bindparam(f"kind_{i}") for i in range(kind_count)]))
    if agent_count:
        made.append(m.agent.in_([bindparam(f"agent_{i}") for i in range(agent_count)]))
    if pending:
        made.append(m.pending == bindparam("pending"))
    if conversation:
        made.append(m.conversation_id == bindparam("conversation_id"))
    if persona:
        made.append(m.persona == bindparam("persona"))
    if since:
        made.append(m.created >= bindparam("since"))
    if until:
        made.append(m.created < bindparam("until"))
    return made
