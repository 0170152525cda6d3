"""From a Filter to SQL conditions: its shape (which conditions it has) decides the statement, its values are bound."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, text

from .clock import to_text
from .records import Filter
from .tables import TABLES
from .text import fold, quoted, scope

memories, tags, texts = TABLES["memories"], TABLES["memory_tags"], TABLES["memory_texts"]
m = memories.c
Shape = tuple[bool, str, int, int, int, bool, bool, bool, bool, bool]
SELECTIVE = 8  # characters from which a literal is rarer than an owner's rows: then the scope only costs
TRIGRAM = 3  # characters the trigram index needs at least


def values(where: Filter, owner: int) -> tuple[Shape, dict[str, Any]]:
    """The shape of a filter, and the values of its conditions with the owner's."""
    given: dict[str, Any] = {"owner": owner}
    literal, how = fold(where.query or ""), ""
    if where.status != "all":
        given["status"] = where.status
    if literal:
        how = "trigram" if len(literal) >= TRIGRAM else "scan"
        given["literal"] = literal
        if how == "trigram":
            given["trigrams"] = f"literal:{quoted(literal)}"
            if len(literal) < SELECTIVE:
                given["trigrams"] += f" AND scope:{quoted(scope(owner))}"
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
    if how == "trigram":
        # The index only proposes: whether the text holds it is decided on the text.
        made.append(
            m.n.in_(text("SELECT rowid FROM memory_trigrams WHERE memory_trigrams MATCH :trigrams").columns(m.n))
        )
    if how:
        folded = select(texts.c.literal).where(texts.c.n == m.n).scalar_subquery()
        made.append(func.instr(folded, bindparam("literal")) > 0)
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
