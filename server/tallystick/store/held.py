"""Vectors in memory, kept in step with the table: matrices for exact search, counts, and what Chroma does not have yet.

A change is told to them inside `turn`, which its COMMIT lies in too; a matrix or a count is read from a snapshot that is
begun inside `turn`. So a snapshot holds a change and was begun after it was told, or neither: nothing is counted twice.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field

import numpy as np

from . import meta, vector_rows
from .embedding import FloatArray
from .matrix import Matrix, View
from .prepared import Driver, Row

HELD = 150_000  # vectors kept in memory for all owners together, some 230 MB

Snapshot = Callable[[], AbstractContextManager[Driver]]


@dataclass(slots=True)
class Load:
    """A matrix on its way: the changes since its snapshot, and whether something happened that it cannot be mended by."""

    changes: list[Callable[[Matrix], None]] = field(default_factory=list)
    spoiled: bool = False


class Held:
    """What is held of the vectors of all owners. A cold matrix is loaded beside its owner's changes and other owners' searches.

    Args:
        model, dimension: of the embedder; vectors of other models are not seen.
        snapshot: opens a new snapshot of the database.

    Attributes:
        turn: taken around a COMMIT and the calls below that tell of it.
    """

    def __init__(self, model: str, dimension: int, snapshot: Snapshot) -> None:
        self.turn = threading.Lock()
        self._model = model
        self._dimension = dimension
        self._snapshot = snapshot
        self._lock = threading.Lock()  # for a moment only; taken last
        self._matrices: OrderedDict[int, Matrix] = OrderedDict()
        # Vectors that Chroma has not been given yet, by owner: what was just written must be found in either way.
        self._fresh: dict[int, Matrix] = {}
        self._counts: dict[int, int] = {}
        self._loads: dict[int, Load] = {}
        self._gates: defaultdict[int, threading.Lock] = defaultdict(threading.Lock)  # one load an owner

    def add(self, owner: int, memory_id: str, rows: FloatArray) -> None:
        """New vectors of a memory were committed."""
        with self._lock:
            self._add_fresh(owner, memory_id, rows)
            if owner in self._counts:
                self._counts[owner] += len(rows)
            self._change(owner, lambda matrix: matrix.add(memory_id, rows))

    def forget(self, owner: int, memory_id: str, removed: int) -> None:
        """So many vectors of a memory, all it had, were removed."""
        with self._lock:
            if owner in self._fresh:
                self._fresh[owner].forget(memory_id)
            if owner in self._counts:
                self._counts[owner] -= removed
            self._change(owner, lambda matrix: matrix.forget(memory_id))

    def forget_owner(self, owner: int) -> None:
        """Hold nothing of an owner any more; what the table still has is read anew."""
        with self._lock:
            for held in (self._matrices, self._fresh, self._counts):
                held.pop(owner, None)
            if owner in self._loads:
                self._loads[owner].spoiled = True

    def settle(self, owner: int, memory_ids: Iterable[str]) -> None:
        """Chroma has the vectors of these memories now."""
        with self._lock:
            if owner in self._fresh:
                for memory_id in memory_ids:
                    self._fresh[owner].forget(memory_id)

    def refresh(self, owner: int, memory_id: str) -> None:
        """Hold the vectors a memory has in the table as not yet given to Chroma: a restart has forgotten whether they were."""
        if self.is_fresh(owner, memory_id):
            return
        with self.turn, self._snapshot() as driver:
            rows = vector_rows.by_memory(driver, owner, self._model, [memory_id])
            if rows:
                with self._lock:
                    self._add_fresh(owner, memory_id, np.stack([row for _, _, row in rows]))

    def is_fresh(self, owner: int, memory_id: str) -> bool:
        """Whether a memory's vectors are held as not yet given to Chroma."""
        with self._lock:
            return owner in self._fresh and memory_id in self._fresh[owner]

    def fresh(self, owner: int) -> View | None:
        """All that Chroma has not been given yet of an owner."""
        with self._lock:
            return self._fresh[owner].view() if owner in self._fresh else None

    def count(self, owner: int) -> int:
        """How many vectors an owner has."""
        with self._lock:
            known = self._counts.get(owner)
        if known is not None:
            return known
        with self.turn, self._snapshot() as driver:
            known = vector_rows.count(driver, owner, self._model)
            with self._lock:
                self._counts[owner] = known
        return known

    def view(self, owner: int) -> View:
        """All vectors of an owner."""
        with self._matrix(owner) as matrix:
            return matrix.view()

    def some(self, owner: int, memory_ids: Collection[str]) -> list[tuple[str, FloatArray]]:
        """The vectors of some memories, by blocks of one memory; those without any are left out."""
        with self._matrix(owner) as matrix:
            view, chosen = matrix.view(), matrix.blocks_of(memory_ids)
        return [(view.memories[block], view.block(block)) for block in chosen]

    @contextmanager
    def _matrix(self, owner: int) -> Iterator[Matrix]:
        """The matrix of an owner, locked."""
        while True:
            with self._lock:
                matrix = self._matrices.get(owner)
                if matrix is not None:
                    self._matrices.move_to_end(owner)
                    yield matrix
                    return
                gate = self._gates[owner]
            with gate:
                if owner not in self._matrices:
                    self._load(owner)

    def _load(self, owner: int) -> None:
        load = Load()
        with ExitStack() as opened:
            with self.turn:
                driver = opened.enter_context(self._snapshot())
                meta.get(driver, meta.MODEL)  # a snapshot begins with the first thing read in it
                with self._lock:
                    self._loads[owner] = load
            try:
                matrix = filled(self._dimension, vector_rows.OF_OWNER.all(driver, owner=owner, model=self._model))
            except BaseException:
                with self._lock:
                    del self._loads[owner]
                raise
        with self._lock:
            del self._loads[owner]
            if load.spoiled:
                return  # who asked sees that there is none, and asks again
            for change in load.changes:
                change(matrix)
            self._matrices[owner] = matrix
            while len(self._matrices) > 1 and sum(map(len, self._matrices.values())) > HELD:
                self._matrices.popitem(last=False)

    def _change(self, owner: int, change: Callable[[Matrix], None]) -> None:
        if owner in self._matrices:
            change(self._matrices[owner])
        if owner in self._loads:
            self._loads[owner].changes.append(change)

    def _add_fresh(self, owner: int, memory_id: str, rows: FloatArray) -> None:
        self._fresh.setdefault(owner, Matrix(self._dimension)).add(memory_id, rows)


def filled(dimension: int, rows: list[Row]) -> Matrix:
    """A matrix of (memory id, vector) that are sorted by memory."""
    matrix, start = Matrix(dimension), 0
    for end in range(1, len(rows) + 1):
        if end == len(rows) or rows[end][0] != rows[start][0]:
            blob = b"".join(row[1] for row in rows[start:end])
            matrix.add(rows[start][0], vector_rows.decoded(blob).reshape(end - start, -1))
            start = end
    return matrix
