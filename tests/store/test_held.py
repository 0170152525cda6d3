"""What is held of the vectors in memory is what the table has, whatever happens at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tallystick.store import Store, held, nearest, vector_rows

from .conftest import meaning, put, user
from .test_nearest import ask, brute


@pytest.fixture
def quiet(store: Store) -> Store:
    """A store whose indexer has ended, so that only the test changes vectors."""
    store._indexer.stop()
    return store


def embed(store: Store, owner: int, memory_id: str, *texts: str, before: Callable[[], None] = lambda: None) -> None:
    """Commit the vectors of some texts; `before` runs between the commit and its being told."""
    vectors, model = store.embedder.documents(texts), store.vectors.model
    with store.write(owner) as unit:
        for part, vector in enumerate(vectors):
            row = {"memory_id": memory_id, "owner": owner, "part": part, "span": "", "model": model}
            vector_rows.ADD.do(unit.driver, vector=vector_rows.encoded(vector), **row)
        unit.after_change(before)
        unit.after_change(lambda: store.vectors.held.add(owner, memory_id, np.stack(vectors)))


def exact(store: Store, owner: int) -> None:
    """Assert that matrix and count are what the table has, each vector once."""
    with store.read(owner) as unit:
        number = vector_rows.count(unit.driver, owner, store.vectors.model)
    with store.vectors.held._matrix(owner) as matrix:
        assert len(matrix) == number
    assert store.vectors.held.count(owner) == number
    for text in ("copper", "violin"):
        assert ask(store, owner, text, 100) == brute(store, owner, text)


def test_a_search_between_a_commit_and_its_being_told(quiet: Store, owner: int) -> None:
    made = put(quiet, owner)
    searching = threading.Thread(target=meaning, args=(quiet, owner, "copper"))

    def search() -> None:
        searching.start()
        searching.join(0.3)

    embed(quiet, owner, made.id, "copper", "violin", before=search)
    searching.join(10)
    exact(quiet, owner)


def test_changes_while_a_matrix_is_loaded(quiet: Store, owner: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [put(quiet, owner, str(i)).id for i in range(4)]
    for memory_id in made[:3]:
        embed(quiet, owner, memory_id, f"copper {memory_id}", "violin")
    bob = user(quiet, "bob")
    loading, go_on, fill = threading.Event(), threading.Event(), held.filled

    def slowly(*arguments: Any) -> Any:
        if threading.current_thread() is searching:
            loading.set()
            assert go_on.wait(10)
        return fill(*arguments)

    monkeypatch.setattr(held, "filled", slowly)
    searching = threading.Thread(target=meaning, args=(quiet, owner, "copper"))
    searching.start()
    assert loading.wait(10)
    assert meaning(quiet, bob, "copper") == [], "another owner does not wait"
    embed(quiet, owner, made[3], "copper", "violin copper")
    with quiet.write(owner) as unit:
        unit.memories.erase(made[0])
        unit.memories.update(made[1], {"body": "new"}, agent="a")
    go_on.set()
    searching.join(10)
    assert {memory_id for memory_id, _ in ask(quiet, owner, "copper")} == {made[2], made[3]}
    exact(quiet, owner)


def test_an_owner_erased_while_a_matrix_is_loaded(quiet: Store, owner: int, monkeypatch: pytest.MonkeyPatch) -> None:
    embed(quiet, owner, put(quiet, owner).id, "copper")
    fill, times = held.filled, []

    def erased_meanwhile(*arguments: Any) -> Any:
        times.append(1)
        if len(times) == 1:
            with quiet.write(owner) as unit:
                unit.erase_owner()
        return fill(*arguments)

    monkeypatch.setattr(held, "filled", erased_meanwhile)
    assert meaning(quiet, owner, "copper") == []
    assert len(times) == 2


def test_a_change_that_could_not_be_told_is_read_anew(
    quiet: Store, owner: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [put(quiet, owner, str(i)).id for i in range(2)]
    embed(quiet, owner, made[0], "copper")
    exact(quiet, owner)

    def full(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(quiet.vectors.held, "add", full)
        embed(quiet, owner, made[1], "copper violin")
    exact(quiet, owner)


def test_counts_are_kept_not_made_anew(quiet: Store, owner: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [put(quiet, owner, str(i)).id for i in range(3)]
    for memory_id in made:
        embed(quiet, owner, memory_id, "copper", "violin")
    assert quiet.vectors.held.count(owner) == 6
    monkeypatch.setattr(vector_rows, "count", lambda *_: pytest.fail("counted again"))
    with quiet.write(owner) as unit:
        unit.memories.erase(made[0])
    with quiet.write(owner) as unit:
        unit.memories.update(made[1], {"body": "new"}, agent="a")
    assert quiet.vectors.held.count(owner) == 2
    embed(quiet, owner, made[1], "copper")
    assert quiet.vectors.held.count(owner) == 3


def test_some_of_many_exact_and_from_the_table(quiet: Store, owner: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [put(quiet, owner, str(i)).id for i in range(20)]
    for i, memory_id in enumerate(made):
        embed(quiet, owner, memory_id, f"copper {i}", f"violin {i}")
    some = [made[3], made[7], "mem_unknown", made[3]]
    found = ask(quiet, owner, "copper 7", allowed=some)
    assert found == [one for one in brute(quiet, owner, "copper 7") if one[0] in some]
    assert found[0] == (made[7], 1.0)
    quiet.vectors.whole = True
    monkeypatch.setattr(nearest, "EXACT", 1)
    assert ask(quiet, owner, "copper 7", allowed=some) == found
