"""Windows of sessions: made in the background behind memories, kept up to date, found by meaning."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from tallystick.store import MessageDraft, MiniLm, SessionDraft, Store, session_job
from tallystick.store.windows import CHARS, MOST, windows

from .conftest import HashEmbedder, meaning, put, user
from .talk import append, said, session


def related(store: Store, owner: int, text: str, **more: object) -> dict[str, float]:
    with store.read(owner) as unit:
        return dict(unit.sessions.related(text, 10, unit.embed(text), **more))  # type: ignore[arg-type]


def vectors(store: Store) -> list[tuple[int, str, str]]:
    with store.read(0) as unit:
        return sorted(unit.driver.execute("SELECT session_n, digest, model FROM session_vectors").fetchall())


class Slow(HashEmbedder):
    """Takes its time for each document, and fails on one text until told."""

    seconds = 0.0
    refuses: str | None = None

    def documents(self, texts: Sequence[str]) -> list[np.ndarray]:
        if any(self.refuses and self.refuses in text for text in texts):
            raise RuntimeError("cannot embed this")
        time.sleep(self.seconds)
        return super().documents(texts)


def test_windows_hold_turns() -> None:
    talk = [("system", "rules"), ("user", "Why?"), ("tool", "[tool x]"), ("assistant", "Because."), ("user", "And?")]
    assert windows("Title", talk) == ["Title\nWhy?\nBecause.\nAnd?"]
    assert windows("", [("user", "a" * 400), ("assistant", "b" * 9000), ("user", "c")]) == [
        f"{'a' * 400}\n{'b' * 450}",
        "c",
    ]
    assert windows("Only a title", [("tool", "x")]) == ["Only a title"]
    assert windows("", []) == []


@pytest.mark.parametrize("turns", [1, MOST, MOST + 1, 1000, 5000])
def test_windows_are_bounded_and_stay_as_they_were(turns: int) -> None:
    talk = [(role, f"{role} {i} " + "word " * 100) for i in range(turns) for role in ("user", "assistant")]
    made = windows("T", talk)
    assert 0 < len(made) <= MOST
    assert all(len(text) <= 2 * CHARS + 2 for text in made)
    grown = windows("T", [*talk, ("user", "one more"), ("assistant", "yes")])
    assert len(grown) < len(made) or grown[: len(made) - 1] == made[:-1]


def test_memories_go_first(open_store: Callable[..., Store]) -> None:
    embedder = Slow()
    store = open_store(embedder)
    owner = user(store, "ann")
    embedder.seconds = 0.05
    for i in range(20):
        texts = [f"about {i} {j} {'walrus ' * 60}" for j in range(20)]
        session(store, owner, *texts, native_id=f"n{i}", title="")
    until = time.monotonic() + 20
    while not vectors(store):
        assert time.monotonic() < until
        time.sleep(0.01)
    until = time.monotonic() + 60
    made = put(store, owner, "copper basket")
    while made.id not in meaning(store, owner, "copper basket"):
        assert time.monotonic() < until
        time.sleep(0.01)
    state = store.state()
    assert (state.vectors, state.sessions_behind > 10) == ("indexing", True)
    with store.read(owner) as unit:
        (task,) = (task for task in unit.tasks.list() if task.kind == "index")
        assert task.pending >= state.sessions_behind
    embedder.seconds = 0.0
    assert store.wait_indexed(30)
    assert store.state().sessions_behind == 0


def test_vectors_follow_the_text(store: Store, owner: int) -> None:
    texts = [f"{'walrus' if i < 4 else 'copper'} {i} {'filler ' * 60}" for i in range(8)]
    made = session(store, owner, *texts, title="t")
    assert store.wait_indexed(30)
    before = vectors(store)
    assert len(before) == 4
    append(store, owner, made.id, said("violin " * 80, first=8))
    assert store.wait_indexed(30)
    assert len(vectors(store)) == 5
    assert set(before) < set(vectors(store)), "only what was new was embedded"
    with store.write(owner) as unit:
        unit.sessions.arrange(made.id, [f"m{i}" for i in range(4, 9)])
    assert store.wait_indexed(30)
    assert len(vectors(store)) == 3
    with store.read(owner) as unit:
        for word, near in (("walrus", False), ("violin", True)):
            vector = unit.embed(" ".join([word] * 4))
            assert (dict(store.windows.nearest(owner, vector, 5)).get(made.id, 0) > 0.5) == near


def test_a_restart_and_another_model(open_store: Callable[..., Store]) -> None:
    store = open_store()
    owner = user(store, "ann")
    made = session(store, owner, "walrus and copper")
    session(store, user(store, "bob"), "walrus and copper")
    assert store.wait_indexed(30)
    first = related(store, owner, "walrus and copper")
    assert list(first) == [made.id]
    store = open_store()
    assert related(store, owner, "walrus and copper") == first
    store = open_store(HashEmbedder(96))
    append(store, owner, made.id, said("violin", first=1))
    assert store.wait_indexed(30)
    assert list(related(store, owner, "walrus and copper")) == [made.id]
    assert {model for _, _, model in vectors(store)} == {"hash-96"}


def test_one_session_that_fails_keeps_no_other_waiting(open_store: Callable[..., Store]) -> None:
    embedder = Slow()
    embedder.refuses = "poison"
    store = open_store(embedder)
    owner = user(store, "ann")
    bad = session(store, owner, "poison", native_id="bad")
    fine = session(store, owner, "fine", native_id="fine")
    until = time.monotonic() + 20
    while store.state().sessions_behind != 1 or len(vectors(store)) != 1:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert store.state().error == "RuntimeError: cannot embed this"
    assert list(related(store, owner, "fine")) == [fine.id]
    with store.write(owner) as unit:
        unit.sessions.erase(bad.id)
    while store.state().vectors != "ready":
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_step_that_is_undone_is_done_again(open_store: Callable[..., Store]) -> None:
    embedder = Slow()
    store = open_store(embedder)
    owner = user(store, "ann")
    with store.write(0) as unit:
        unit.driver.execute(
            "CREATE TEMP TRIGGER no_second BEFORE INSERT ON session_vectors WHEN EXISTS (SELECT 1 FROM session_vectors)"
            " BEGIN SELECT RAISE(ABORT, 'no room'); END"
        )
    texts = [f"walrus {i} {'harbour ' * 100}" for i in range(3)]
    made = session(store, owner, *texts, native_id="n", title="")
    until = time.monotonic() + 20
    while store.state().vectors != "degraded":
        assert time.monotonic() < until
        time.sleep(0.01)
    assert vectors(store) == []
    with store.write(0) as unit:
        unit.driver.execute("DROP TRIGGER no_second")
    while store.state().vectors != "ready":
        assert time.monotonic() < until
        time.sleep(0.01)
    talk = [(message.role, message.content) for message in said(*texts)]
    assert len(vectors(store)) == len(windows(made.title, talk)) > 1


def test_related_before_there_are_vectors_and_among_agents(open_store: Callable[..., Store]) -> None:
    embedder = Slow()
    embedder.refuses = ""
    store = open_store(embedder)
    owner = user(store, "ann")
    embedder.seconds = 1
    picker = session(store, owner, "the folder picker", "done", native_id="a", title="Native dialogs")
    other = session(store, owner, "folder names 用户", native_id="b", agent="codex")
    with store.read(owner) as unit:
        assert unit.sessions.related("What did the folder picker do?", 10) == [(picker.id, 0.8), (other.id, 0.4)]
        assert [one for one, _ in unit.sessions.related("folder", 10, agent="codex")] == [other.id]
        assert [one for one, _ in unit.sessions.related("用户", 1)] == [other.id]
        assert [one for one, _ in unit.sessions.related("native dialogs", 5)] == [picker.id]
        assert unit.sessions.related("zebra", 10) == unit.sessions.related("", 10) == []
    with store.read(user(store, "bob")) as unit:
        assert unit.sessions.related("folder picker", 10) == []
    embedder.seconds = 0


def test_common_words_alone(store: Store, owner: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from tallystick.store import related as module

    monkeypatch.setattr(module, "COMMON", 3)
    made = session(store, owner, *(f"walrus copper {i}" for i in range(9)))
    session(store, owner, *(f"walrus {i}" for i in range(9)), native_id="n2")
    with store.read(owner) as unit:
        assert unit.sessions.related("walrus copper", 10) == [(made.id, 0.8)]


def test_by_meaning_with_the_real_model(open_store: Callable[..., Store], model: MiniLm) -> None:
    store = open_store(model)
    owner = user(store, "ann")
    talks = {
        "picker": ("Implement a folder picker for the desktop app", "I'll use the native dialog; it returns the path."),
        "login": ("Users get logged out after 60 minutes", "The JWT expires; refresh tokens were never stored."),
        "soup": ("How long do lentils boil?", "Twenty minutes, salt at the end."),
    }
    ids = {session(store, owner, *texts, native_id=name).id: name for name, texts in talks.items()}
    assert store.wait_indexed(60)
    for question, name in (
        ("choosing a directory in the GUI", "picker"),
        ("why does authentication end so soon?", "login"),
        ("cooking legumes", "soup"),
    ):
        found = [(ids[one], relevance) for one, relevance in related(store, owner, question).items()]
        assert found[0][0] == name
        assert 1 >= found[0][1] > 0


def test_a_new_title_is_found(store: Store, owner: int) -> None:
    made = session(store, owner, "hello")
    assert store.wait_indexed(30)
    with store.write(owner) as unit:
        unit.sessions.upsert(SessionDraft(agent="claude", native_id="n1", title="walrus copper violin"))
    assert store.wait_indexed(30)
    assert related(store, owner, "walrus copper violin")[made.id] > 0.9


def test_no_change_is_taken_for_the_one_before(store: Store, owner: int) -> None:
    made = session(store, owner, title="t")
    for i in range(MOST):
        append(store, owner, made.id, said(f"{i} " * 200, "yes", first=2 * i))
        assert store.wait_indexed(30)
        assert len(vectors(store)) == i + 1


def test_a_growing_session_is_not_read_again_for_each_batch(
    open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, look = [], session_job._look

    def slow(store: Store, job: session_job.SessionJob) -> None:
        time.sleep(0.05)
        looks.append(job.seq)
        look(store, job)

    monkeypatch.setattr(session_job, "_look", slow)
    store = open_store()
    owner = user(store, "ann")
    made = session(store, owner, "the first of many")
    for number in range(60):
        append(store, owner, made.id, [MessageDraft(f"x{number}", "user", f"zebra {number}")])
        time.sleep(0.02)
    assert store.wait_indexed(30)
    assert len(looks) < 20
    with store.read(owner) as unit:
        assert unit.sessions.related("zebra 59", 1, unit.embed("zebra 59"))[0][0] == made.id
