"""Printing records: tables for people, JSON for programs."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from .failure import Failure

T = TypeVar("T")

GAP = 2  # columns between two cells
LAST = 30  # columns below which the last cell of a row goes onto a line of its own

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def print_json(value: Any, *, lines: bool = False) -> None:  # any JSON value
    """One JSON value, as text where the terminal can show it; `lines`: on one line, for a stream of them."""
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(value, ensure_ascii=not unicode, indent=None if lines else 2))


def shown(text: str) -> str:
    """A stored text as it may be printed: a transcript must not steer the terminal."""
    return _CONTROL.sub("\ufffd", text)


def print_fields(fields: Mapping[str, Any]) -> None:
    """Names and values of one record, a line each; empty lists are left out."""
    width = max(map(len, fields))
    for name, value in fields.items():
        if value != []:
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            print(f"{name:<{width}}  {shown(text)}")


def confirm(question: str) -> bool:
    """Ask the person at the terminal for a yes.

    Raises:
        Failure: there is nobody to ask.
    """
    if not sys.stdin.isatty():
        raise Failure("Nobody can be asked here; say --yes to go on.")
    print(f"{question} [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def cut(found: list[T], limit: int) -> list[T]:
    """The first `limit` of what was found, 0 for all; says where there is more."""
    if 0 < limit < len(found):
        print(f"The first {limit} of more; --limit 0 lists all.", file=sys.stderr)
        return found[:limit]
    return found


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, empty: str) -> None:
    """A table; the last column takes what room is left, or lines of its own where that is little. `empty` is said where there
    is no row."""
    found = [[shown(cell) for cell in row] for row in rows]
    if not found:
        print(empty)
        return
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not console.is_terminal:
        console.width = 200  # a pipe has no width; ids must not be cut for the next program
    widths = [max(map(cell_len, column)) + GAP for column in zip(columns, *found, strict=True)]
    if sum(widths[:-1]) + min(widths[-1], LAST) > console.width:
        for row in found:
            console.print(Text("  ".join(cell for cell in row[:-1] if cell), style="bold"))
            console.print(Padding(Text(row[-1]), (0, 0, 0, 2)))
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns[:-1]:
        table.add_column(column, no_wrap=True)
    table.add_column(columns[-1])
    for row in found:
        table.add_row(*map(Text, row))  # Text, since a title may hold what rich reads as markup
    console.print(table)
