"""Search among the vectors of sessions: exact, over matrices held in memory.

An owner's sessions have at most windows.MOST vectors each, so that thousands of sessions are compared in a few milliseconds.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable

import numpy as np
from sqlalchemy import bindparam, delete, select

from .embedding import FloatArray
from .held import HELD, Load, Snapshot, filled
from .matrix import Matrix, View
from .nearest import best_first
from .prepared import Prepared, inserting
from .session_tables import TABLES

vectors, sessions = TABLES["session_vectors"], TABLES["sessions"]
v = vectors.c
ADD = inserting(vectors, "n")
OF_OWNER = Prepared(
    select(sessions.c.id, v.vector)
    .join_from(vectors, sessions, sessions.c.n == v.session_n)
    .where(v.owner == bindparam("owner"), v.model == bindparam("model"))
    .order_by(v.session_n)
)
OF_SESSION = Prepared(select(v.n, v.digest, v.model).where(v.session_n == bindparam("session_n")))
BLOBS = Prepared(select(v.vector).where(v.session_n == bindparam("session_n"), v.model == bindparam("model")))
DROP = Prepared(delete(vectors).where(v.n == bindparam("number")))


class Windows:
    """The vectors of all sessions of all owners. A cold matrix is loaded beside other owners' searches and everyone's changes.

    A change that comes while a matrix is loaded is made to it afterwards; should its snapshot hold the change already, a vector
    is there twice, which changes no best one.

    Args:
        model, dimension: of the embedder; vectors of other models are not seen.
        snapshot: opens a new snapshot of the database.
    """

    def __init__(self, model: str, dimension: int, snapshot: Snapshot) -> None:
        self._model = model
        self._dimension = dimension
        self._snapshot = snapshot
        self._lock = threading.Lock()  # for a moment only
        self._matrices: OrderedDict[int, Matrix] = OrderedDict()
        self._loads: dict[int, Load] = {}
        self._gates: defaultdict[int, threading.Lock] = defaultdict(threading.Lock)  # one load an owner

    def nearest(self, owner: int, vector: FloatArray, limit: int) -> list[tuple[str, float]]:
        """Sessions of an owner by the cosine of their best window: (session id, cosine), best first."""
        view = self._view(owner)
        best = view.blocks(vector)
        kept: dict[str, float] = {}
        for chunk in best_first(best, 2 * limit):
            for block in chunk:
                kept.setdefault(view.memories[block], round(float(best[block]), 6))
            if len(kept) >= limit:
                break
        return list(kept.items())[:limit]

    def add(self, owner: int, session_id: str, rows: FloatArray) -> None:
        """New vectors of a session, just committed."""
        self._change(owner, lambda matrix: matrix.add(session_id, rows))

    def put(self, owner: int, session_id: str, rows: FloatArray) -> None:
        """All vectors of a session, after some were removed."""

        def replace(matrix: Matrix) -> None:
            matrix.forget(session_id)
            matrix.add(session_id, rows)

        self._change(owner, replace)

    def forget(self, owner: int, session_id: str) -> None:
        """A session's vectors were removed."""
        self._change(owner, lambda matrix: matrix.forget(session_id))

    def forget_owner(self, owner: int) -> None:
        """Hold nothing of an owner any more; what the table still has is read anew."""
        with self._lock:
            self._matrices.pop(owner, None)
            if owner in self._loads:
                self._loads[owner].spoiled = True

    def _change(self, owner: int, change: Callable[[Matrix], None]) -> None:
        with self._lock:
            if owner in self._matrices:
                change(self._matrices[owner])
            if owner in self._loads:
                self._loads[owner].changes.append(change)

    def _view(self, owner: int) -> View:
        with self._lock:
            gate = self._gates[owner]
        with gate:
            while True:
                with self._lock:
                    if owner in self._matrices:
                        self._matrices.move_to_end(owner)
                        return self._matrices[owner].view()
                    load = self._loads[owner] = Load()
                try:
                    with self._snapshot() as driver:
                        matrix = filled(self._dimension, OF_OWNER.all(driver, owner=owner, model=self._model))
                except BaseException:
                    with self._lock:
                        del self._loads[owner]
                    raise
                with self._lock:
                    del self._loads[owner]
                    if not load.spoiled:
                        for change in load.changes:
                            change(matrix)
                        self._matrices[owner] = matrix
                        while len(self._matrices) > 1 and sum(map(len, self._matrices.values())) > HELD:
                            self._matrices.popitem(last=False)


def stacked(blobs: list[bytes], dimension: int) -> FloatArray:
    """The vectors of some rows."""
    return np.frombuffer(b"".join(blobs), np.float32).reshape(-1, dimension)
