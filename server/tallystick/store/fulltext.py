"""What SQLite's full text has that no other engine has: MATCH and bm25 over two indexes, which triggers keep.

`memory_words` finds by words, ranked; `memory_trigrams` proposes for a literal. Columns and weights of the first are those of
the best ranking measured on public conversations: title 1, body 1, context .6, date 1.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Literal

from sqlalchemy import ColumnElement, Float, Subquery, bindparam, func, select, text

from .prepared import Driver
from .tables import TABLES
from .text import quoted, scope

WEIGHTS = "1.0, 1.0, 0.6, 1.0, 0.0"  # title, body, context, date, scope
SELECTIVE = 8  # characters from which a literal is rarer than an owner's rows: then the scope only costs
TRIGRAM = 3  # characters the trigram index needs at least
MERGED = 500  # pages of an index that are merged in one transaction
INDEXES = ("memory_words", "memory_trigrams", "message_words")
# What FTS5 keeps of an index without any text: its format, no totals, no segment.
EMPTY = (
    "DELETE FROM {0}_data",
    "DELETE FROM {0}_idx",
    "DELETE FROM {0}_docsize",
    "INSERT INTO {0}_data VALUES (1, x''), (10, x'00000000000000')",
    "INSERT OR REPLACE INTO {0}_config VALUES ('version', 4)",
)

How = Literal["", "trigram", "scan"]
memories, texts = TABLES["memories"], TABLES["memory_texts"]
m = memories.c


def hits() -> Subquery:
    """Rows (n, rank) that an expression bound as `q` finds; the lower the rank, the better."""
    ranked = f"SELECT rowid AS n, bm25(memory_words, {WEIGHTS}) AS rank FROM memory_words WHERE memory_words MATCH :q"  # noqa: S608
    return text(ranked).columns(n=m.n.type, rank=Float()).subquery("hits")


def literal_values(literal: str, owner: int) -> tuple[How, dict[str, str]]:
    """How a folded literal is looked for, and the values that takes."""
    if not literal:
        return "", {}
    if len(literal) < TRIGRAM:
        return "scan", {"literal": literal}
    wanted = f"literal:{quoted(literal)}"
    if len(literal) < SELECTIVE:
        wanted += f" AND scope:{quoted(scope(owner))}"
    return "trigram", {"literal": literal, "trigrams": wanted}


def holding(how: How) -> list[ColumnElement[bool]]:
    """The conditions on memories that hold a literal."""
    if not how:
        return []
    folded = select(texts.c.literal).where(texts.c.n == m.n).scalar_subquery()
    holds = func.instr(folded, bindparam("literal")) > 0
    if how == "scan":
        return [holds]
    # The index only proposes: whether the text holds it is decided on the text.
    proposed = text("SELECT rowid FROM memory_trigrams WHERE memory_trigrams MATCH :trigrams").columns(m.n)
    return [m.n.in_(proposed), holds]


def merge(driver: Driver, indexes: Sequence[str]) -> bool:
    """Merge a piece of each index, so that removed text leaves its segments; True while there is more to do."""
    more = False
    for index in indexes:
        before = driver.execute("SELECT total_changes()").fetchone()[0]
        driver.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', -{MERGED})")  # noqa: S608
        after = driver.execute("SELECT total_changes()").fetchone()[0]
        more = more or after - before > 1
    return more


def rebuild(driver: Driver, index: str) -> None:
    """Make an index anew from its texts, whatever is wrong with it."""
    again = f"INSERT INTO {index} ({index}) VALUES ('rebuild')"  # noqa: S608
    try:
        driver.execute(again)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
            raise
        # So damaged that FTS5 does not open it, not even for this.
        for statement in EMPTY:
            driver.execute(statement.format(index))
        driver.execute(again)
