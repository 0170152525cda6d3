"""Messages on their way into a session: added at its end, renewed, put into another order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from . import coverage, session_outbox
from . import session_sql as sql
from .clock import now, to_text
from .errors import NotFound
from .prepared import Driver, Prepared
from .session_records import Appended, Arranged, MessageDraft
from .text import scope, words_of

if TYPE_CHECKING:
    from .unit import Unit

TAKEN = 256  # messages held in memory at a time
TITLE_CHARS = 80

ORDERING = (
    Prepared(text("CREATE TEMP TABLE IF NOT EXISTS ordering (position INTEGER PRIMARY KEY, native_id TEXT UNIQUE)")),
    Prepared(text("DELETE FROM ordering")),
)
ORDERED = Prepared(text("INSERT OR IGNORE INTO ordering (native_id) VALUES (:native_id)"))
# Message ids that the session does not have leave gaps in `ordering`; numbering what is joined closes them.
PLACES = (
    "SELECT m.n, m.position AS before, row_number() OVER (ORDER BY o.position) - 1 AS after FROM ordering o"
    " JOIN messages m ON m.session_n = :number AND m.native_id = o.native_id"
)
IN_ORDER = Prepared(text("SELECT native_id FROM messages WHERE session_n = :number ORDER BY position"))
LOST = Prepared(
    text(
        "DELETE FROM messages WHERE session_n = :number AND native_id NOT IN (SELECT native_id FROM ordering)"
        " RETURNING covered"
    )
)
MOVE = Prepared(
    text(
        f"UPDATE messages SET position = p.after FROM ({PLACES}) p WHERE messages.n = p.n AND p.before != p.after"  # noqa: S608
    )
)


def append(unit: Unit, session_id: str, drafts: Iterable[MessageDraft], at: datetime | None) -> Appended:
    """See Sessions.append."""
    driver, owner = unit.driver, unit.owner
    row = sql.STATE.one(driver, owner=owner, session_id=session_id)
    if row is None:
        raise NotFound("session", session_id)
    number, agent, title, created, updated, count, titled, timed = row
    adding = _Adding(driver, owner, number, agent, count, at)
    rest = iter(drafts)
    while some := list(islice(rest, TAKEN)):
        adding.take(some)
    if adding.first is not None and adding.last is not None:
        # A session that was given no times has that of its capture: its messages know better.
        updated = adding.last if count == 0 and not timed and adding.first < created else max(updated, adding.last)
        created = min(created, adding.first)
    if adding.new or adding.changed:
        sql.GROWN.do(driver, number=number, created=created, updated=updated, message_count=adding.count)
        sql.uncover(driver, number, adding.uncovered)
        if not titled and (not title or adding.changed):
            title = title_of(sql.ASKED.value(driver, number=number) or "")
            retitle(driver, number, title)
        elif count == 0:
            sql.HEAD.do(driver, number=number, heading=words_of(title) or None)
        session_outbox.put(unit, number)
    return Appended(adding.new, adding.known, adding.changed, adding.count)


def arrange(unit: Unit, session_id: str, message_ids: Iterable[str]) -> Arranged:
    """See Sessions.arrange."""
    driver, owner = unit.driver, unit.owner
    row = sql.STATE.one(driver, owner=owner, session_id=session_id)
    if row is None:
        raise NotFound("session", session_id)
    number, title, count, titled = row[0], row[2], row[5], row[6]
    for statement in ORDERING:
        statement.do(driver)
    ORDERED.each(driver, ({"native_id": message_id} for message_id in message_ids))
    lost = LOST.all(driver, number=number)
    moved = MOVE.do(driver, number=number)
    ORDERING[1].do(driver)
    if moved or lost:
        count -= len(lost)
        sql.COUNTED.do(driver, number=number, message_count=count)
        sql.uncover(driver, number, -sum(not covered for (covered,) in lost))
        sql.BEHEAD.do(driver, number=number)
        if not titled:
            title = title_of(sql.ASKED.value(driver, number=number) or "")
        retitle(driver, number, title)
        session_outbox.put(unit, number)
    return Arranged(moved, len(lost), count)


def withdraw(unit: Unit, session_id: str, message_ids: Iterable[str]) -> Arranged:
    """See Sessions.withdraw."""
    row = sql.STATE.one(unit.driver, owner=unit.owner, session_id=session_id)
    if row is None:
        raise NotFound("session", session_id)
    gone = frozenset(message_ids)
    standing = [native_id for (native_id,) in IN_ORDER.all(unit.driver, number=row[0])]
    if gone.isdisjoint(standing):
        return Arranged(0, 0, row[5])
    return arrange(unit, session_id, (native_id for native_id in standing if native_id not in gone))


def retitle(driver: Driver, number: int, title: str) -> None:
    """Give a session a title, by which its first message is found too."""
    native_id, cwd = sql.KEYS.one(driver, number=number) or ("", None)
    sql.RETITLE.do(driver, number=number, title=title, folded=sql.folded(title, cwd, native_id))
    sql.HEAD.do(driver, number=number, heading=words_of(title) or None)


def title_of(said: str) -> str:
    """A title for a session that has none: how its first user message begins."""
    line = next((line.strip() for line in said.split("\n") if line.strip()), "")
    if len(line) <= TITLE_CHARS:
        return line
    return (line[:TITLE_CHARS].rpartition(" ")[0] or line[:TITLE_CHARS]).rstrip() + "…"


def version_of(draft: MessageDraft) -> str:
    """The name of a message's version: a hash of its id, role and content."""
    made = hashlib.blake2b(digest_size=8)
    for part in (draft.id, draft.role, draft.content):
        data = part.encode()
        made.update(b"%d:" % len(data))
        made.update(data)
    return made.hexdigest()


def scope_of(owner: int, agent: str, role: str) -> str:
    """The tokens by which a message's full text is confined: to its owner, and there to an agent or a role."""
    return f"{scope(owner)} {agent_scope(owner, agent)} {role_scope(owner, role)}"


def agent_scope(owner: int, agent: str) -> str:
    """The token of what an agent of the owner wrote. In hex, and with a digit at its end, it is one word that no stemmer touches."""
    return f"u{owner}a{agent.encode().hex()}0"


def role_scope(owner: int, role: str) -> str:
    """The token of what was said in a role to or by the owner's agents."""
    return f"u{owner}r{role.encode().hex()}0"


def indexed(content: str) -> str | None:
    """The folded copy the word index needs of a content; None where the content itself serves: the tokenizer folds case and
    diacritics too."""
    words = words_of(content)
    return None if words in (content, content.lower()) else words


class _Adding:
    """One call of append. Attributes count what came of it; `first` and `last` are times."""

    def __init__(
        self, driver: Driver, owner: int, number: int, agent: str, count: int, at: datetime | None
    ) -> None:  # fmt: skip
        self._driver = driver
        self._owner = owner
        self._number = number
        self._agent = agent
        self._at = at
        self._captured = to_text(now())
        self._names = coverage.Names(driver, number)
        self.count = count
        self.new = self.known = self.changed = self.uncovered = 0
        self.first: str | None = None
        self.last: str | None = None

    def take(self, drafts: list[MessageDraft]) -> None:
        have = sql.known(self._driver, self._number, [draft.id for draft in drafts]) if self.count else {}
        self._add(self._fresh(drafts, have))

    def _fresh(self, drafts: list[MessageDraft], have: dict[str, tuple[int, str, bool]]) -> list[dict[str, Any]]:
        made: dict[str, dict[str, Any]] = {}
        for draft in drafts:
            version = version_of(draft)
            if draft.id in have:
                if have[draft.id][1] == version:
                    self.known += 1
                else:
                    have[draft.id] = self._change(draft, version, *have[draft.id])
            elif draft.id in made:  # twice in one batch: the later one counts
                if made[draft.id]["version"] == version:
                    self.known += 1
                else:
                    made[draft.id] |= self._row(draft, version)
                    self.changed += 1
            else:
                made[draft.id] = self._row(draft, version)
        return list(made.values())

    def _row(self, draft: MessageDraft, version: str) -> dict[str, Any]:
        moment = draft.timestamp or self._at
        timestamp = None if moment is None else to_text(moment)
        if timestamp is not None:
            self.first = timestamp if self.first is None else min(self.first, timestamp)
            self.last = timestamp if self.last is None else max(self.last, timestamp)
        return {
            "native_id": draft.id, "version": version, "role": draft.role, "timestamp": timestamp,
            "scope": scope_of(self._owner, self._agent, draft.role), "words": indexed(draft.content),
            "content": draft.content, "content_length": len(draft.content),
        }  # fmt: skip

    def _add(self, rows: list[dict[str, Any]]) -> None:
        def placed() -> Iterator[dict[str, Any]]:
            for position, row in enumerate(rows, self.count):
                covered = self._names.covers(row["native_id"], row["version"])
                self.uncovered += not covered
                yield row | {
                    "owner": self._owner, "session_n": self._number, "position": position, "captured": self._captured,
                    "covered": covered, "heading": None,
                }  # fmt: skip

        if rows:
            sql.ADD_MESSAGE.each(self._driver, placed())
        self.new += len(rows)
        self.count += len(rows)

    def _change(
        self, draft: MessageDraft, version: str, number: int, _before: str, was_covered: bool
    ) -> tuple[int, str, bool]:  # fmt: skip
        covered = self._names.covers(draft.id, version)
        self.uncovered += was_covered - covered
        self.changed += 1
        row = self._row(draft, version)
        if draft.timestamp is None:
            row["timestamp"] = None  # it keeps the time it has
        sql.CHANGE_MESSAGE.do(self._driver, number=number, covered=covered, **row)
        return number, version, covered
