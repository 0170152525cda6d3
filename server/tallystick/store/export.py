"""An export: all of one user's records as lines, read by any process while the owner serves."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from . import export_sql as sql
from . import migrate, users
from .clock import now, to_text
from .copying import read_only
from .errors import NotFound, StoreUnusable
from .export_sql import Line
from .home import DATABASE
from .personas import every, shipped
from .prepared import Driver

FORMAT, VERSION = "tallystick-export", 1


@contextlib.contextmanager
def exporting(home: Path, user: str) -> Iterator[Iterator[Line]]:
    """The lines of an export, the header first. All are of one moment; they are read as they are asked for.

    Raises:
        StoreUnusable: there is no database, it is damaged, or of another version.
        NotFound: no user of that name.
    """
    database = home / DATABASE
    stands = migrate.examine(database)
    if stands is None:
        raise StoreUnusable(database, "nothing is stored there yet", "The first start of the server makes it.")
    if stands != migrate.KNOWN[-1]:
        reason = "its tables are those of an earlier version"
        raise StoreUnusable(database, reason, "Start the server once (tallystick serve): it brings them up to date.")
    with contextlib.closing(read_only(database)) as driver:
        driver.execute("BEGIN")
        owner = users.BY_NAME.value(driver, name=user)
        if owner is None:
            raise NotFound("user", user)
        yield _lines(driver, owner, user)


def _lines(driver: Driver, owner: int, user: str) -> Iterator[Line]:
    personas = list(_personas(driver))
    counts = {"persona": len(personas)} | {name: count.value(driver, owner=owner) for name, count in sql.COUNTS.items()}
    yield {"format": FORMAT, "version": VERSION, "exported": to_text(now()), "user": user, "counts": counts}
    yield from personas
    yield from map(sql.facts_line, sql.FACTS.run(driver, {"owner": owner}))
    yield from map(sql.conversation_line, sql.CONVERSATIONS.run(driver, {"owner": owner}))
    for row in sql.SESSIONS.run(driver, {"owner": owner}):
        yield sql.session_line(row)
        yield from map(sql.message_line, sql.MESSAGES.run(driver, {"number": row[8]}))
    for row in sql.MEMORIES.run(driver, {"owner": owner}):
        yield sql.memory_line(row)
        yield from map(sql.revision_line, sql.REVISIONS.run(driver, {"memory_id": row[0]}))
    yield from map(sql.coverage_line, sql.COVERAGE.run(driver, {"owner": owner}))
    yield from map(sql.link_line, sql.LINKS.run(driver, {"owner": owner}))


def _personas(driver: Driver) -> Iterator[Line]:
    ships = shipped()
    for persona in every(driver):
        if ships.get(persona.name) != persona[1:4]:
            yield sql.persona_line(persona)
