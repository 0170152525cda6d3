"""Search among the vectors of sessions: exact, over matrices held in memory.

An owner's sessions have at most windows.MOST vectors each, so that thousands of sessions are compared in a few milliseconds.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np
from sqlalchemy import bindparam, delete, select

from .embedding import FloatArray
from .matrix import Matrix
from .nearest import Snapshot, best_first, load
from .prepared import Prepared, inserting
from .session_tables import TABLES

HELD = 150_000  # vectors kept in memory for all owners together, some 230 MB

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
    """The vectors of all sessions of all owners.

    Args:
        model, dimension: of the embedder; vectors of other models are not seen.
        snapshot: opens a new snapshot of the database.
    """

    def __init__(self, model: str, dimension: int, snapshot: Snapshot) -> None:
        self._model = model
        self._dimension = dimension
        self._snapshot = snapshot
        self._lock = threading.Lock()
        self._matrices: OrderedDict[int, Matrix] = OrderedDict()

    def nearest(self, owner: int, vector: FloatArray, limit: int) -> list[tuple[str, float]]:
        """Sessions of an owner by the cosine of their best window: (session id, cosine), best first."""
        with self._lock:
            held = self._matrices.get(owner)
            if held is None:
                held = Matrix(self._dimension)
                # A snapshot opened under the lock: what is committed later comes through `put` and `forget` after it.
                with self._snapshot() as driver:
                    load(held, OF_OWNER.all(driver, owner=owner, model=self._model))
                self._matrices[owner] = held
                while len(self._matrices) > 1 and sum(map(len, self._matrices.values())) > HELD:
                    self._matrices.popitem(last=False)
            self._matrices.move_to_end(owner)
            view = held.view()
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
        with self._lock:
            if owner in self._matrices:
                self._matrices[owner].add(session_id, rows)

    def put(self, owner: int, session_id: str, rows: FloatArray) -> None:
        """All vectors of a session, after some were removed."""
        with self._lock:
            if owner in self._matrices:
                self._matrices[owner].forget(session_id)
                self._matrices[owner].add(session_id, rows)

    def forget(self, owner: int, session_id: str) -> None:
        """A session's vectors were removed."""
        with self._lock:
            if owner in self._matrices:
                self._matrices[owner].forget(session_id)

    def forget_owner(self, owner: int) -> None:
        """All vectors of an owner were removed."""
        with self._lock:
            self._matrices.pop(owner, None)


def stacked(blobs: list[bytes], dimension: int) -> FloatArray:
    """The vectors of some rows."""
    return np.frombuffer(b"".join(blobs), np.float32).reshape(-1, dimension)
