"""Printing records: tables for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any


def print_json(value: Any) -> None:  # any JSON value
    """One JSON value, as text where the terminal can show it."""
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(value, ensure_ascii=not unicode, indent=2))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, empty: str) -> None:
    """A table; the last column takes what room is left. `empty` is said where there is no row."""
    found = list(rows)
    if not found:
        print(empty)
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns[:-1]:
        table.add_column(column, no_wrap=True)
    table.add_column(columns[-1])
    for row in found:
        table.add_row(*(Text(cell) for cell in row))  # Text, since a title may hold what rich reads as markup
    console = Console()
    if not console.is_terminal:
        console.width = 200  # a pipe has no width; ids must not be cut for the next program
    console.print(table)
