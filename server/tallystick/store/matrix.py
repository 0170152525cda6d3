"""Vectors of one owner in memory, for exact search. Not locked: its holder is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .embedding import FloatArray


class View(NamedTuple):
    """A matrix at one moment; later changes do not touch it. Rows of one block belong to one memory, and are neighbours."""

    rows: FloatArray
    starts: np.ndarray[tuple[int], np.dtype[np.intp]]
    alive: np.ndarray[tuple[int], np.dtype[np.bool_]]
    memories: list[str]

    def blocks(self, vector: FloatArray) -> FloatArray:
        """The best cosine of each block; minus infinity where its memory is gone."""
        if not self.memories:
            return np.empty(0, np.float32)
        # vecdot, not @: BLAS would spread the product over threads, and on a busy machine wait milliseconds for the last of
        # them; and a row's product is the same to the bit wherever the row stands.
        best: FloatArray = np.maximum.reduceat(np.vecdot(self.rows, vector), self.starts)
        best[~self.alive] = -np.inf
        return best

    def block(self, number: int) -> FloatArray:
        """The rows of one block."""
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.rows)
        return self.rows[self.starts[number] : end]


class Matrix:
    """Blocks of rows. They are only ever added and marked dead; when half the rows are dead, they are packed anew."""

    def __init__(self, dimension: int) -> None:
        self._rows: FloatArray = np.empty((64, dimension), np.float32)
        self._used = 0
        self._starts: list[int] = []
        self._memories: list[str] = []
        self._dead: set[int] = set()
        self._dead_rows = 0
        self._blocks: dict[str, list[int]] = {}
        self._view: View | None = None

    def __len__(self) -> int:
        """How many living vectors it holds."""
        return self._used - self._dead_rows

    def __contains__(self, memory_id: str) -> bool:
        return memory_id in self._blocks

    def add(self, memory_id: str, rows: FloatArray) -> None:
        """Add vectors to a memory."""
        if not len(rows):
            return
        needed = self._used + len(rows)
        if needed > len(self._rows):
            grown = np.empty((max(needed, 2 * len(self._rows)), self._rows.shape[1]), np.float32)
            grown[: self._used] = self._rows[: self._used]
            self._rows = grown
        self._rows[self._used : needed] = rows
        self._blocks.setdefault(memory_id, []).append(len(self._starts))
        self._starts.append(self._used)
        self._memories.append(memory_id)
        self._used = needed
        self._view = None

    def forget(self, memory_id: str) -> None:
        """Remove a memory's vectors."""
        for block in self._blocks.pop(memory_id, ()):
            end = self._starts[block + 1] if block + 1 < len(self._starts) else self._used
            self._dead.add(block)
            self._dead_rows += end - self._starts[block]
            self._view = None
        if self._dead_rows > max(64, self._used // 2):
            self._pack()

    def blocks_of(self, memory_ids: Iterable[str]) -> list[int]:
        """The living blocks of some memories; those it does not have are left out."""
        return [block for memory_id in dict.fromkeys(memory_ids) for block in self._blocks.get(memory_id, ())]

    def view(self) -> View:
        """The matrix as it is now."""
        if self._view is None:
            alive = np.ones(len(self._starts), np.bool_)
            alive[list(self._dead)] = False
            starts = np.array(self._starts, np.intp)
            self._view = View(self._rows[: self._used], starts, alive, list(self._memories))
        return self._view

    def _pack(self) -> None:
        old = self.view()
        self._rows = np.empty_like(self._rows)
        self._used, self._dead_rows = 0, 0
        self._starts, self._memories, self._dead, self._blocks = [], [], set(), {}
        for number, memory_id in enumerate(old.memories):
            if old.alive[number]:
                self.add(memory_id, old.block(number))
