"""What each line of an export is made of: the statements, and the form that contracts/schemas/export.yaml gives it.

A time is the text that the store keeps. What is not set is left out.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Select, Table, bindparam, func, select

from . import links, session_sql
from .clock import to_text
from .personas import TEXTS
from .prepared import Prepared, Row
from .session_tables import TABLES

Line = dict[str, Any]

memories, revisions, tokens = TABLES["memories"], TABLES["revisions"], TABLES["coverage"]
m, r, c, s, x = memories.c, revisions.c, tokens.c, session_sql.s, session_sql.m
sessions, messages = session_sql.sessions, session_sql.messages
facts, conversations = TABLES["facts"], TABLES["conversations"]
_owner: BindParameter[int] = bindparam("owner")
_state = (r.revision, r.parents, r.agent, r.created, r.title, r.summary, r.body, r.fields)
_sessions = select(
    s.id,
    s.agent,
    s.native_id,
    s.title,
    s.cwd,
    s.created,
    s.updated,
    s.waiting,
    s.n,
    s.message_count,
    s.titled,
    s.timed,
).where(s.owner == _owner)
_messages = select(
    sessions.c.id, x.native_id, x.version, x.role, x.content, x.timestamp, x.captured, x.position
).join_from(messages, sessions, s.n == x.session_n).where(x.session_n == bindparam("number"))  # fmt: skip
_memories = (
    select(m.id, m.agent, m.created, m.superseded_by, *_state)
    .join_from(memories, revisions, (r.memory_id == m.id) & (r.revision == m.revision))
    .where(m.owner == _owner)
)
_revisions = (
    select(r.memory_id, *_state)
    .join_from(revisions, memories, m.id == r.memory_id)
    .where(r.memory_id == bindparam("memory_id"), r.revision != m.revision)
)
_coverage = select(s.id, c.memory_id, c.token, c.version).join_from(tokens, sessions, s.n == c.session_n)
_links = links.RECORD

FACTS = Prepared(select(facts.c.document, facts.c.updated).where(facts.c.owner == _owner))
CONVERSATIONS = Prepared(
    select(conversations.c.conversation_id, conversations.c.first_seen)
    .where(conversations.c.owner == _owner)
    .order_by(conversations.c.conversation_id)
)
SESSIONS = Prepared(_sessions.order_by(s.n))
SESSION = Prepared(_sessions.where(s.id == bindparam("id")))
MESSAGES = Prepared(_messages.order_by(x.position))
MESSAGE = Prepared(_messages.where(x.native_id == bindparam("id")))
MEMORIES = Prepared(_memories.order_by(m.n))
MEMORY = Prepared(_memories.where(m.id == bindparam("id")))
REVISIONS = Prepared(_revisions.order_by(r.created, r.revision))
REVISION = Prepared(_revisions.where(r.revision == bindparam("revision")))
COVERAGE = Prepared(_coverage.where(s.owner == _owner).order_by(s.n, c.memory_id, c.token))
COVERED = Prepared(
    _coverage.where(
        c.session_n == bindparam("number"), c.token == bindparam("name"), c.memory_id == bindparam("memory_id")
    )
)
LINKS = Prepared(_links.where(links.k.owner == _owner).order_by(links.k.created, links.k.id))
LINK = Prepared(_links.where(links.k.owner == _owner, links.k.id == bindparam("id")))


def _counted(table: Table, where: ColumnElement[bool]) -> Select[Any]:
    return select(func.count()).select_from(table).where(where)


_my_sessions, _my_memories = select(s.n).where(s.owner == _owner), select(m.id).where(m.owner == _owner)
_revisions_in_all = _counted(revisions, r.memory_id.in_(_my_memories)).scalar_subquery()
COUNTS = {
    "facts": Prepared(_counted(facts, facts.c.owner == _owner)),
    "conversation": Prepared(_counted(conversations, conversations.c.owner == _owner)),
    "session": Prepared(_counted(sessions, s.owner == _owner)),
    "message": Prepared(_counted(messages, x.session_n.in_(_my_sessions))),
    "memory": Prepared(_counted(memories, m.owner == _owner)),
    # The current ones are in the lines of the memories.
    "revision": Prepared(select(_revisions_in_all - _counted(memories, m.owner == _owner).scalar_subquery())),
    "coverage": Prepared(_counted(tokens, c.session_n.in_(_my_sessions))),
    "link": Prepared(_counted(links.links, links.k.owner == _owner)),
}
EARLIER = Prepared(select(func.count() - 1).select_from(revisions).where(r.memory_id == bindparam("memory_id")))


def persona_line(persona: Row) -> Line:
    name, *texts, _built_in, updated = persona
    return {"record": "persona", "name": name, **dict(zip(TEXTS, texts, strict=True)), "updated": to_text(updated)}


def facts_line(row: Row) -> Line:
    return {"record": "facts", "user_facts": json.loads(row[0]), "updated": row[1]}


def conversation_line(row: Row) -> Line:
    return {"record": "conversation", "conversation_id": row[0], "first_seen": row[1]}


def session_line(row: Row) -> Line:
    names = ("id", "agent", "native_id", "title", "cwd", "created", "updated", "uncovered_since")
    line = _line("session", zip(names, row[:8], strict=True))
    return line | {"titled": bool(row[10]), "timed": bool(row[11])}


def message_line(row: Row) -> Line:
    names = ("session", "id", "version", "role", "content", "timestamp", "captured")
    return _line("message", zip(names, row[:7], strict=True))


def memory_line(row: Row) -> Line:
    names = ("id", "agent", "created", "superseded_by")
    return {**_line("memory", zip(names, row[:4], strict=True)), "current": _state_of(row[4:])}


def revision_line(row: Row) -> Line:
    return {"record": "revision", "memory": row[0], "earlier": _state_of(row[1:])}


def coverage_line(row: Row) -> Line:
    return _line("coverage", zip(("session", "memory", "name", "version"), row, strict=True))


def link_line(row: Row) -> Line:
    return _line("link", zip(("id", "from", "to", "kind", "created"), row, strict=True))


def _line(record: str, given: Any) -> Line:
    return {"record": record, **{name: value for name, value in given if value is not None}}


def _state_of(row: Row) -> Line:
    revision, parents, agent, created, title, summary, body, fields = row
    found = {"revision": revision, "parents": json.loads(parents), "agent": agent, "created": created}
    kept = {name: value for name, value in json.loads(fields).items() if value is not None}
    return {**found, "title": title, "summary": summary, "body": body, **kept}
