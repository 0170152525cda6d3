"""Stores on real SQLite, real Chroma and the real model; a quick embedder where meaning does not matter."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tallystick.store import Filter, MemoryDraft, MemoryRecord, MiniLm, Store, Unit


class HashEmbedder:
    """Vectors from hashes of words: texts sharing words are near each other. Any dimension."""

    def __init__(self, dimension: int = 64, model: str = "hash") -> None:
        self.dimension = dimension
        self.model = f"{model}-{dimension}"

    def query(self, text: str) -> np.ndarray:
        return self.documents([text])[0]

    def documents(self, texts: Sequence[str]) -> list[np.ndarray]:
        return [self._vector(text) for text in texts]

    def windows(self, text: str) -> list[tuple[int, int]]:
        return [(start, min(len(text), start + 1000)) for start in range(0, max(1, len(text)), 900)]

    def _vector(self, text: str) -> np.ndarray:
        vector = np.zeros(self.dimension, np.float32)
        for word in text.casefold().split():
            seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
            vector += np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
        norm = float(np.linalg.norm(vector))
        return vector / np.float32(norm or 1.0)


@pytest.fixture(scope="session")
def model() -> MiniLm:
    """The real model, loaded once."""
    return MiniLm()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def open_store(home: Path) -> Iterator[Callable[..., Store]]:
    """Opens the home, closing whatever was opened before; a hash embedder unless another is given."""
    opened: list[Store] = []

    def opener(embedder: Any = None, **options: Any) -> Store:
        for store in opened:
            store.close()
        opened.append(Store.open(home, embedder=embedder or HashEmbedder(), **options))
        return opened[-1]

    yield opener
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[..., Store]) -> Store:
    return open_store()


@pytest.fixture
def owner(store: Store) -> int:
    return user(store, "ann")


def user(store: Store, name: str) -> int:
    with store.write(0) as unit:
        return unit.users.ensure(name)


def draft(title: str = "A title", body: str = "A body", **more: Any) -> MemoryDraft:
    return MemoryDraft(**{"kind": "summary", "title": title, "summary": title, "body": body, "agent": "claude"} | more)


def put(store: Store, owner: int, title: str = "A title", body: str = "A body", **more: Any) -> MemoryRecord:
    with store.write(owner) as unit:
        return unit.memories.create(draft(title, body, **more))


def words(store: Store, owner: int, query: str, **where: Any) -> list[str]:
    """Ids found by the words of a query."""
    with store.read(owner) as unit:
        return [memory_id for memory_id, _ in unit.memories.lexical(query, 50, Filter(**where))]


def literal(store: Store, owner: int, query: str, **where: Any) -> list[str]:
    """Ids listed by a literal substring."""
    with store.read(owner) as unit:
        return [memory.id for memory in unit.memories.page(Filter(query=query, **where), limit=50)]


def count(unit: Unit, **where: Any) -> int:
    """How many memories pass; the active ones unless told otherwise."""
    return len(unit.memories.page(Filter(**where), limit=10_000, body_chars=0))


def meaning(store: Store, owner: int, query: str, limit: int = 50, **more: Any) -> list[str]:
    """Ids found by meaning."""
    with store.read(owner) as unit:
        return [memory_id for memory_id, _ in unit.nearest(unit.embed(query), limit, **more)]
