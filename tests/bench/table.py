"""The table the benchmark prints: what was measured, the figure, and its ratio to the row it is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line: `ratio` compares, in the same run on the same machine, with the first row of the group or with what `what` names."""

    what: str
    value: float
    unit: str
    ratio: float
    aim: str = ""


def markdown(title: str, rows: Sequence[Row]) -> str:
    """A group of rows as a Markdown table."""
    lines = [f"| {title} | figure | ratio | aim |", "|---|---|---|---|"]
    lines += [f"| {row.what} | {_plain(row.value)} {row.unit} | {row.ratio:.2f} | {row.aim} |" for row in rows]
    return "\n".join(lines)


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
