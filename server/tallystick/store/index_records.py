"""What the store tells of its indexes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class RebuildState:
    """How far a rebuild is that was asked for.

    Attributes:
        left: the steps it has still to take, the one in hand first; see rebuild.py.
        error: why that step failed the last time; it will be tried again.
    """

    left: tuple[str, ...]
    error: str | None


@dataclass(frozen=True, slots=True)
class StoreState:
    """How far the indexer is.

    Attributes:
        behind: memories whose vectors are not all in every index yet.
        vectors: "ready" when nothing is behind, "indexing" while new memories or sessions are embedded, "rebuilding" while a
            whole index is made anew or compared, "degraded" when the indexer met an error and will try again.
        error: the last error, while degraded.
        sessions_behind: sessions whose windows are not all embedded yet.
        rebuild: while one runs that was asked for.
    """

    behind: int
    vectors: Literal["ready", "indexing", "rebuilding", "degraded"]
    error: str | None = None
    sessions_behind: int = 0
    rebuild: RebuildState | None = None


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What is stored, of all users together, and how much of it can be found.

    Attributes:
        state: how far the indexer is.
        error: what is wrong, be it that the indexer met an error or that the vector index cannot be read.
        memories, sessions: how many there are.
        vectors: how many vectors of memories there are.
        indexed: how many elements the vector index has.
    """

    state: StoreState
    error: str | None
    memories: int
    sessions: int
    vectors: int
    indexed: int
