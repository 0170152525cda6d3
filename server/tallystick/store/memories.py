"""Memories: made, changed, listed, found by words, erased. Everything is scoped to the owner in SQL."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from ulid import ULID

from . import alike, coverage, lineage, memory_sql, memory_texts, outbox, revisions
from .clock import now as present
from .clock import to_text
from .erase import erase_memory
from .errors import Conflict, NotFound
from .records import Filter, MemoryChanges, MemoryDraft, MemoryRecord
from .tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

ACTIVE = Filter()
EMBEDDED = ("title", "summary", "body")
# What a revision keeps beside title, summary and body; with them, it is what its hash is of.
FIELDS = (
    "kind", "status", "pending", "tags", "author", "persona", "session", "conversation_id", "evidence", "covered",
    "billable", "company_client", "client_project", "artifact_url", "user_query", "linear_issues",
)  # fmt: skip
LISTS = ("tags", "evidence", "covered", "linear_issues")
_columns = frozenset(TABLES["memories"].columns.keys())


class Memories:
    """The owner's memories."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._driver = unit.driver
        self._owner = unit.owner

    def get(self, memory_id: str) -> MemoryRecord | None:
        """The memory of that id, whole; None where this owner has none."""
        row = memory_sql.ONE.one(self._driver, owner=self._owner, id=memory_id)
        return None if row is None else memory_sql.record(row)

    def get_many(self, memory_ids: Sequence[str], body_chars: int | None = None) -> list[MemoryRecord]:
        """The memories of those ids in that order; unknown ones are left out.

        Args:
            memory_ids: up to some hundreds.
            body_chars: only so many characters of each body; None for all of it.
        """
        found = memory_sql.many(self._driver, self._owner, memory_ids, body_chars)
        return [found[memory_id] for memory_id in memory_ids if memory_id in found]

    def create(self, draft: MemoryDraft, now: datetime | None = None) -> MemoryRecord:
        """Make a memory.

        Args:
            draft: its content; `parents` in it name current revisions of other memories, which become superseded.
            now: its time of change, and of creation unless the draft has one.

        Raises:
            Conflict: a parent is no current revision, or the given id is taken.
        """
        at = now or present()
        memory_id = draft.id or f"mem_{ULID()}"
        if draft.id is not None and memory_sql.TAKEN.one(self._driver, id=memory_id) is not None:
            raise Conflict(f"There is a memory {memory_id} already.")
        fields = {name: _plain(name, getattr(draft, name)) for name in FIELDS}
        lineage.supersede(self._unit, memory_id, draft.parents, draft.agent, at, in_force=_in_force(fields))
        text = {"title": draft.title, "summary": draft.summary, "body": draft.body}
        revision = revisions.name(memory_id, draft.parents, {**fields, **text})
        created, updated = to_text(draft.created or at), to_text(at)
        row = {**stored(fields), "id": memory_id, "owner": self._owner, "revision": revision, "agent": draft.agent}
        row |= {"body_length": len(draft.body), "superseded_by": None, "created": created, "updated": updated}
        memory_sql.ADD.run(self._driver, row)
        revisions.keep(
            self._driver, self._owner, memory_id, revision, draft.parents, draft.agent, fields, text, updated
        )  # fmt: skip
        memory_sql.add_tags(self._driver, self._owner, memory_id, fields["tags"])
        memory_sql.add_issues(self._driver, self._owner, memory_id, fields["linear_issues"])
        made = self.get(memory_id)
        assert made is not None
        memory_texts.add(self._driver, self._owner, made)
        coverage.note(self._unit, made)
        outbox.put(self._unit, memory_id, "index")
        return made

    def update(
        self,
        memory_id: str,
        changes: MemoryChanges,
        parents: Sequence[str] = (),
        *,
        agent: str,
        now: datetime | None = None,
    ) -> MemoryRecord:
        """Make a new revision of a memory.

        Args:
            memory_id: which.
            changes: the fields to replace.
            parents: revisions the change was made from: the memory's current one, and those of other memories that are
                merged into it and become superseded. Empty: the last writer wins.
            agent: who changes it.
            now: when.

        Raises:
            NotFound: no such memory of this owner.
            Conflict: the parents are not current; nothing was changed.
        """
        before = self.get(memory_id)
        if before is None:
            raise NotFound("memory", memory_id)
        # Later than the revision before, whatever the clock says: revisions are listed by time.
        at = max(now or present(), before.updated + timedelta(microseconds=1))
        if parents and before.revision not in parents:
            raise Conflict(f"{memory_id} is at revision {before.revision} now, which is not among the given parents.")
        given: dict[str, Any] = dict(changes)
        fields = {name: _plain(name, given.get(name, getattr(before, name))) for name in FIELDS}
        others = [parent for parent in parents if parent != before.revision]
        lineage.supersede(self._unit, memory_id, others, agent, at, in_force=_in_force(fields))
        text = {name: given.get(name, getattr(before, name)) for name in EMBEDDED}
        line = tuple(parents) or (before.revision,)
        revision, updated = revisions.name(memory_id, line, {**fields, **text}), to_text(at)
        row = {**stored(fields), "id": memory_id, "owner": self._owner, "revision": revision}
        row |= {"body_length": len(text["body"]), "updated": updated}
        row["superseded_by"] = before.superseded_by if fields["status"] == "superseded" else None
        memory_sql.CHANGE.run(self._driver, row)
        revisions.keep(self._driver, self._owner, memory_id, revision, line, agent, fields, text, updated)
        if "tags" in given:
            memory_sql.drop_tags(self._driver, self._owner, memory_id)
            memory_sql.add_tags(self._driver, self._owner, memory_id, fields["tags"])
        if "linear_issues" in given:
            memory_sql.DROP_ISSUES.do(self._driver, owner=self._owner, memory_id=memory_id)
            memory_sql.add_issues(self._driver, self._owner, memory_id, fields["linear_issues"])
        after = self.get(memory_id)
        assert after is not None
        memory_texts.change(self._driver, self._owner, before, after)
        # Named anew, messages are covered as they are now, though the names be the same.
        if "covered" in given or after.kind != before.kind or after.session != before.session:
            coverage.forget(self._unit, memory_id)
            coverage.note(self._unit, after)
        if any(text[name] != getattr(before, name) for name in EMBEDDED):
            alike.FORGET.do(self._driver, memory_id=memory_id)
            outbox.put(self._unit, memory_id, "index")
            outbox.forget_vectors(self._unit, memory_id)
        return after

    def erase(self, memory_id: str) -> bool:
        """Remove a memory with all that was made of it; False where this owner has none of that id."""
        return erase_memory(self._unit, memory_id)

    def of_issues(self, issue_ids: Sequence[str]) -> list[str]:
        """Ids of the memories that are linked to any of some Linear issues, given by UUID; the newest first."""
        return memory_sql.of_issues(self._driver, self._owner, issue_ids)

    def page(
        self,
        where: Filter = ACTIVE,
        limit: int = 20,
        after: tuple[datetime, str] | None = None,
        body_chars: int | None = None,
    ) -> list[MemoryRecord]:
        """Memories newest first, by (created, id) downwards.

        Args:
            where: which.
            limit: how many at most.
            after: (created, id) of the last one already had: the page begins behind it, whatever came or went since.
            body_chars: only so many characters of each body; None for all of it.
        """
        return memory_sql.page(self._driver, self._owner, where, limit, after, body_chars)

    def count(self, where: Filter = ACTIVE) -> int:
        """How many there are."""
        return memory_sql.count(self._driver, self._owner, where)

    def lexical(self, query: str, limit: int, where: Filter = ACTIVE) -> list[tuple[str, float]]:
        """Memories that hold words of the query, best first by BM25.

        Args:
            query: any text; nothing in it is syntax. Words that say little are left out unless there are no others.
            limit: how many at most.
            where: only memories that this lets pass.

        Returns:
            (memory id, score), the score positive and higher for better; ties by newest.
        """
        return memory_texts.lexical(self._driver, self._owner, query, limit, where)

    def coverage(self, query: str, memory_ids: Sequence[str]) -> dict[str, float]:
        """The share of the query's words that each of some memories holds, 0 to 1, by the same rules as `lexical`."""
        return memory_texts.coverage(self._driver, self._owner, query, memory_ids)


def _plain(name: str, value: Any) -> Any:
    """A field as it is stored: tags sorted, each once, so that every answer has them so."""
    if name == "tags":
        return sorted(set(value))
    if isinstance(value, str) or not isinstance(value, Sequence):
        return value
    return [item if isinstance(item, str) else dict(item) for item in value]


def stored(fields: dict[str, Any]) -> dict[str, Any]:
    """Those of a revision's fields that the memory's own row holds, as it holds them."""
    return {
        name: json.dumps(value, ensure_ascii=False) if name in LISTS else value
        for name, value in fields.items()
        if name in _columns
    }


def _in_force(fields: dict[str, Any]) -> bool:
    return fields["status"] == "active" and not fields["pending"]
