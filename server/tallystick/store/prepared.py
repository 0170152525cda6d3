"""SQLAlchemy Core statements compiled once and run on the driver's own connection.

Executing a Core statement costs some 14 microseconds of bookkeeping a time, the driver itself 4: with several statements
a request, and a bare HTTP route at 150, that is worth one small class. Statements stay Core, so that they compile for
another engine; only their compiled text is kept. What another engine would have to do otherwise is named here, in
fulltext.py and in engine.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from sqlalchemy import ColumnElement, Executable, Insert, Table, bindparam, insert
from sqlalchemy.dialects import sqlite

Row = tuple[Any, ...]


class Driver(Protocol):
    """What is used of a DBAPI connection; sqlite3 and psycopg both have it."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Any:
        """Run one statement, giving its cursor."""
        ...

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Any:
        """Run one statement once for each of some rows."""
        ...


class Prepared:
    """One statement. Every bind parameter is named; literal values in the statement are its defaults."""

    __slots__ = ("_defaults", "_keys", "_sql")

    def __init__(self, statement: Executable, columns: Iterable[str] | None = None) -> None:
        compiled = statement.compile(  # type: ignore[attr-defined]
            dialect=sqlite.dialect(),
            column_keys=None if columns is None else list(columns),
        )
        self._sql: str = str(compiled)
        self._keys: tuple[str, ...] = tuple(compiled.positiontup or ())
        self._defaults: dict[str, Any] = {k: v for k, v in compiled.params.items() if v is not None}

    def run(self, driver: Driver, values: Mapping[str, Any]) -> Any:
        """Execute and return the cursor. A missing value is a KeyError: no NULL slips in by a typing mistake."""
        if self._defaults:
            values = {**self._defaults, **values}
        return driver.execute(self._sql, [values[key] for key in self._keys])

    def all(self, driver: Driver, **values: Any) -> list[Row]:
        """Every row."""
        rows: list[Row] = self.run(driver, values).fetchall()
        return rows

    def one(self, driver: Driver, **values: Any) -> Row | None:
        """The first row, if there is one."""
        row: Row | None = self.run(driver, values).fetchone()
        return row

    def value(self, driver: Driver, **values: Any) -> Any:
        """The first column of the first row; None where there is no row."""
        row = self.run(driver, values).fetchone()
        return None if row is None else row[0]

    def do(self, driver: Driver, **values: Any) -> int:
        """How many rows were changed."""
        count: int = self.run(driver, values).rowcount
        return count

    def each(self, driver: Driver, rows: Iterable[Mapping[str, Any]]) -> int:
        """Run it once for each of some rows; how many rows were changed."""
        named = ([{**self._defaults, **row}[key] for key in self._keys] for row in rows)
        count: int = driver.executemany(self._sql, named).rowcount
        return count


def inserting(table: Table, *leave_out: str) -> Prepared:
    """A prepared INSERT of every column of `table` but those left out."""
    names = [column.name for column in table.columns if column.name not in leave_out]
    return Prepared(plain_insert(table, names), columns=names)


def upsert(table: Table, *replaced: str, **computed: ColumnElement[Any]) -> Prepared:
    """A prepared INSERT of every column of `table`; where its primary key is there already, some columns are replaced.

    Args:
        table: the table.
        replaced: those columns; without any, the row that is there stays as it is.
        computed: columns whose value is an expression and not given.
    """
    names = [column.name for column in table.columns if column.name not in computed]
    statement = sqlite.insert(table).values({**{name: bindparam(name) for name in names}, **computed})
    if not replaced:
        return Prepared(statement.on_conflict_do_nothing())
    key = [column.name for column in table.primary_key]
    values = {name: statement.excluded[name] for name in replaced}
    return Prepared(statement.on_conflict_do_update(index_elements=key, set_=values))


def plain_insert(table: Table, names: Iterable[str]) -> Insert:
    """INSERT with one named parameter a column and nothing added behind one's back (no RETURNING)."""
    return insert(table).values({name: bindparam(name) for name in names}).inline()
