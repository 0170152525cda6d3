"""Memories of an export on their way in, each with its earlier revisions behind it."""

from __future__ import annotations

from dataclasses import dataclass

from . import export_sql as sql
from . import memory_sql, memory_texts, outbox, revisions
from .errors import Unfit
from .export_sql import Line
from .known import known
from .memories import EMBEDDED, FIELDS, stored
from .prepared import Driver


@dataclass
class _Open:
    """The memory whose earlier revisions come now; `expected` of them are here already, None where it is new."""

    id: str
    expected: int | None
    count: int = 0


class MemoryIntake:
    """Takes in the memories of one owner."""

    def __init__(self, driver: Driver, owner: int) -> None:
        self._driver = driver
        self._owner = owner
        self._open: _Open | None = None

    def memory(self, line: Line) -> bool:
        """Begin a memory; see Intake.take."""
        memory_id, state = line["id"], line["current"]
        row = sql.MEMORY.one(self._driver, owner=self._owner, id=memory_id)
        if known(row, sql.memory_line, line, f"The memory {memory_id}"):
            self._open = _Open(memory_id, sql.EARLIER.value(self._driver, memory_id=memory_id))
            return False
        fields = {name: state.get(name) for name in FIELDS}
        made = {**stored(fields), "id": memory_id, "owner": self._owner, "revision": state["revision"]}
        made |= {"agent": line["agent"], "body_length": len(state["body"]), "superseded_by": line.get("superseded_by")}
        memory_sql.ADD.run(self._driver, made | {"created": line["created"], "updated": state["created"]})
        self._keep(memory_id, state)
        memory_sql.add_tags(self._driver, self._owner, memory_id, state["tags"])
        memory_sql.add_issues(self._driver, self._owner, memory_id, state["linear_issues"])
        memory = memory_sql.many(self._driver, self._owner, [memory_id], None)[memory_id]
        memory_texts.add(self._driver, self._owner, memory)
        outbox.PUT.do(self._driver, memory_id=memory_id, owner=self._owner, op="index")
        self._open = _Open(memory_id, None)
        return True

    def revision(self, line: Line) -> bool:
        """Take in an earlier revision of the memory that was begun; see Intake.take."""
        at, name = self._open, line["earlier"]["revision"]
        if at is None or at.id != line["memory"]:
            raise Unfit(f"This revision is not behind its memory {line['memory']}.")
        at.count += 1
        if at.expected is None:
            self._keep(at.id, line["earlier"])
            return True
        row = sql.REVISION.one(self._driver, memory_id=at.id, revision=name)
        if row is None:
            raise Unfit(f"The memory {at.id} is here already, without its revision {name}.")
        return not known(row, sql.revision_line, line, f"The revision {name} of {at.id}")

    def close(self) -> None:
        """The memory that was begun, if any, is whole."""
        at, self._open = self._open, None
        if at is not None and at.expected not in (None, at.count):
            raise Unfit(f"The memory {at.id} is here already, with {at.expected} earlier revisions.")

    def _keep(self, memory_id: str, state: Line) -> None:
        fields = {name: state.get(name) for name in FIELDS}
        text = {name: state[name] for name in EMBEDDED}
        given = (state["revision"], state["parents"], state["agent"], fields, text, state["created"])
        revisions.keep(self._driver, self._owner, memory_id, *given)
