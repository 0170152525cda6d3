"""Search among vectors: one answer, exact or by Chroma."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tallystick.store import Filter, MiniLm, Store, nearest
from tallystick.store.matrix import Matrix

from .conftest import HashEmbedder, meaning, put, user

WORDS = ["walrus", "basket", "copper", "violin", "harbour", "marble", "thunder", "pepper"]


@pytest.fixture
def filled(store: Store, owner: int) -> list[str]:
    made = []
    for i in range(120):
        title = f"{WORDS[i % 8]} {WORDS[i // 8 % 8]} {i}"
        made.append(
            put(store, owner, title, f"about {WORDS[i % 5]}", kind="knowledge" if i % 40 == 0 else "summary").id
        )
    put(store, user(store, "bob"), "walrus walrus walrus", "walrus")
    assert store.wait_indexed(30)
    return made


def ask(store: Store, owner: int, query: str, limit: int = 10, **more: object) -> list[tuple[str, float]]:
    with store.read(owner) as unit:
        return unit.nearest(unit.embed(query), limit, **more)  # type: ignore[arg-type]


def brute(store: Store, owner: int, query: str) -> list[tuple[str, float]]:
    """All memories by their best vector, straight from the table."""
    vector = store.embedder.query(query)
    best: dict[str, float] = {}
    with store.read(owner) as unit:
        for memory_id, blob in unit.driver.execute("SELECT memory_id, vector FROM vectors WHERE owner = ?", [owner]):
            cosine = round(float(np.vecdot(np.frombuffer(blob, np.float32), vector)), 6)
            best[memory_id] = max(cosine, best.get(memory_id, -2.0))
    return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))


def test_exact_and_approximate_agree(
    store: Store, owner: int, filled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wheres = [None, Filter(), Filter(kinds=("knowledge",)), Filter(status="archived")]
    queries = ["walrus basket", "copper", "thunder pepper 77"]
    exact = [ask(store, owner, query, where=where) for query in queries for where in wheres]
    assert exact[0] == brute(store, owner, queries[0])[:10]
    assert [len(found) for found in exact[:4]] == [10, 10, 3, 0]
    monkeypatch.setattr(nearest, "EXACT", 10)
    monkeypatch.setattr(nearest, "ASKED", 20)
    asked: list[int] = []
    through = store.vectors.chroma.nearest

    def watched(owner: int, vector: np.ndarray, limit: int) -> list[int]:
        asked.append(limit)
        return through(owner, vector, limit)

    monkeypatch.setattr(store.vectors.chroma, "nearest", watched)
    assert [ask(store, owner, query, where=where) for query in queries for where in wheres] == exact
    assert asked
    some = filled[:7]
    assert ask(store, owner, "copper", allowed=some) == [one for one in brute(store, owner, "copper") if one[0] in some]
    fresh = put(store, owner, "walrus basket", "walrus basket")
    while not store.vectors.held.is_fresh(owner, fresh.id) and store.state().behind:
        pass
    assert ask(store, owner, "walrus basket", 1)[0] == (fresh.id, 1.0)


def test_allowed_and_where(store: Store, owner: int, filled: list[str]) -> None:
    some = [*filled[:50], "mem_unknown"]
    found = ask(store, owner, "copper violin", 100, allowed=some, where=Filter(kinds=("knowledge",)))
    assert {memory_id for memory_id, _ in found} == {filled[0], filled[40]}
    assert ask(store, owner, "copper", allowed=[]) == []
    assert len(ask(store, owner, "copper", 1000)) == 120


def test_chroma_failing_is_no_failure(
    store: Store, owner: int, filled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = ask(store, owner, "walrus")

    def broken(*_: object) -> list[int]:
        raise RuntimeError("no index today")

    monkeypatch.setattr(nearest, "EXACT", 10)
    monkeypatch.setattr(store.vectors.chroma, "nearest", broken)
    assert ask(store, owner, "walrus") == exact


def test_by_meaning_with_the_real_model(open_store: Callable[..., Store], model: MiniLm) -> None:
    store = open_store(model)
    owner = user(store, "ann")
    ship = put(store, owner, "Ship date", "Release OC-41252 moved to 2026-03-14")
    pets = put(store, owner, "Pets", "Caroline adopted two kittens from the shelter. They sleep on the sofa.")
    assert store.wait_indexed(30)
    assert meaning(store, owner, "when will the product be delivered?")[0] == ship.id
    assert meaning(store, owner, "which animals live in her home?")[0] == pets.id
    first = ask(store, owner, "animals")
    store.embedder._known.clear()
    assert ask(store, owner, "animals") == first


def test_a_wrong_dimension_is_refused(store: Store, owner: int) -> None:
    with store.read(owner) as unit, pytest.raises(ValueError, match="64"):
        unit.nearest(HashEmbedder(32).query("x"), 3)


def test_matrix_packs_what_is_dead() -> None:
    matrix = Matrix(4)
    rows = np.eye(4, dtype=np.float32)
    for i in range(300):
        matrix.add(f"m{i}", rows[i % 4 : i % 4 + 1])
    matrix.add("m7", rows[:2])
    old = matrix.view()
    for i in range(290):
        matrix.forget(f"m{i}")
    matrix.forget("unknown")
    view = matrix.view()
    assert len(matrix) == 10
    assert len(view.memories) < 150
    alive = {view.memories[i] for i in np.flatnonzero(view.blocks(rows[2]) > -1)}
    assert alive == {f"m{i}" for i in range(290, 300)}
    assert len(old.memories) == 301, "a view taken before is as it was"
    assert old.blocks(rows[0]).max() == 1
    assert len(Matrix(4).view().blocks(rows[0])) == 0
