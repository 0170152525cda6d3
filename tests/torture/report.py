"""What was found wrong, and what was counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Sort = Literal["lost", "stale", "doubled", "index", "process"]
SHOWN = 10


class Report:
    """What a run found. May be added to from any thread.

    Attributes:
        lines: what was done, in words with counts.
        faults: what is wrong. lost: acknowledged and not there or not found. stale: an old or erased text that is still there
            or found. doubled: there more than once, or never asked for. index: an index or a file that does not agree.
            process: a server, bridge or call that failed, or something that was left behind.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.faults: dict[Sort, list[str]] = {"lost": [], "stale": [], "doubled": [], "index": [], "process": []}

    def add(self, sort: Sort, what: str, which: Iterable[object] = ("",)) -> None:
        """Add a fault for each of `which`."""
        self.faults[sort] += [f"{what} {one}".rstrip() for one in which]

    def expect(self, sort: Sort, what: str, got: object, wanted: object) -> None:
        """Add a fault where two values differ."""
        if got != wanted:
            self.add(sort, f"{what}: {got}, where {wanted} was expected")

    def add_all(self, other: Report) -> None:
        """Add what another report has."""
        self.lines += other.lines
        for sort, found in other.faults.items():
            self.faults[sort] += found

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not any(self.faults.values())

    def verdict(self) -> str:
        """One line."""
        counts = {sort: len(found) for sort, found in self.faults.items()}
        told = [f"{counts['lost']:,} lost", f"{counts['stale']:,} stale"]
        if counts["doubled"]:
            told.append(f"{counts['doubled']:,} doubled")
        told.append(f"indexes differ in {counts['index']:,} points" if counts["index"] else "indexes agree")
        if counts["process"]:
            told.append(f"{counts['process']:,} failures")
        return ", ".join(told)

    def __str__(self) -> str:
        told = list(self.lines)
        for sort, found in self.faults.items():
            told += [f"{sort}: {one}" for one in found[:SHOWN]]
            if len(found) > SHOWN:
                told.append(f"{sort}: and {len(found) - SHOWN:,} more")
        return "\n".join([*told, self.verdict()])
