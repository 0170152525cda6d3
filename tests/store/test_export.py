"""An export holds all of a user, goes in elsewhere as it was, and never in part."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tallystick.store import NotFound, Store, StoreUnusable
from tallystick.store.errors import Unfit
from tallystick.store.export import exporting
from tallystick_contract.documents import shared_schema

from .conftest import HashEmbedder, literal, meaning, put, user, words
from .moved import Lines, export, fill, rows, take
from .talk import append, find, said, session, sound

QUERIES = ("walrus", "用户", "2026-03-14", "C++", "OC-41252", "summary", "south")


@pytest.fixture
def source(store: Store) -> Store:
    fill(store)
    return store


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    """A home that nothing was ever put into."""
    store = Store.open(tmp_path / "other", embedder=HashEmbedder())
    yield store
    store.close()


def of(lines: Lines, record: str) -> Lines:
    return [line for line in lines if line.get("record") == record]


def test_every_line_is_as_the_contract_says(source: Store) -> None:
    with exporting(source.home, "ann") as found:
        header, *lines = found
    jsonschema.Draft202012Validator(shared_schema("ExportHeader")).validate(header)
    kinds = list(header["counts"])
    assert header["counts"] == {kind: len(of(lines, kind)) for kind in kinds}
    assert all(header["counts"].values()), header["counts"]
    for line in lines:
        schema = shared_schema(f"Export{line['record'].capitalize()}")
        jsonschema.Draft202012Validator(schema).validate(line)
    order = [line["record"] for line in lines]
    assert sorted(dict.fromkeys(order), key=kinds.index) == list(dict.fromkeys(order))


def test_into_another_home_and_out_again(source: Store, other: Store) -> None:
    lines = export(source.home)
    intake = take(other, lines[1:])
    assert dict(intake.new) == lines[0]["counts"]
    assert not intake.known
    with other.read(user(other, "ann")) as unit:
        (linked,) = unit.memories.get_many(unit.memories.of_issues(["5c7d0942"]))
    assert linked.linear_issues[0]["identifier"] == "NC-9"
    owner = 1
    for query in QUERIES:
        assert words(other, owner, query, status="all") == words(source, owner, query, status="all")
        assert literal(other, owner, query, status="all") == literal(source, owner, query, status="all")
        hits = [[hit._replace(score=0) for hit in find(one, owner, query).hits] for one in (source, other)]
        assert hits[0] == hits[1]
        assert hits[0] or words(other, owner, query, status="all")
    assert export(other.home) == lines
    assert other.wait_indexed(30)
    for query in ("walrus whiskers", "release"):
        assert meaning(other, owner, query) == meaning(source, owner, query)
    with source.read(owner) as before, other.read(owner) as after:
        for session_ in before.sessions.page():
            assert after.sessions.get(session_.id) == session_
            assert after.sessions.messages(session_.id) == before.sessions.messages(session_.id)
            assert after.links.of(session_.id) == before.links.of(session_.id)
        for memory in before.memories.page():
            assert after.memories.get(memory.id) == memory
            assert after.revisions.page(memory.id, 99) == before.revisions.page(memory.id, 99)
        assert [task._replace(kind="index") for task in after.tasks.list() if task.session] == [
            task._replace(kind="index") for task in before.tasks.list() if task.session
        ]
    sound(other)


def test_twice_changes_nothing(source: Store, other: Store) -> None:
    lines = export(source.home)
    take(other, lines[1:])
    before = rows(other)
    intake = take(other, lines[1:])
    assert not intake.new
    assert dict(intake.known) == lines[0]["counts"]
    assert rows(other) == before
    take(source, lines[1:])
    assert export(source.home) == lines


def test_what_was_erased_comes_back(source: Store) -> None:
    owner, lines = 1, export(source.home)
    covering = next(line["memory"] for line in of(lines, "coverage"))
    with source.write(owner) as unit:
        unit.memories.erase(covering)
        unit.facts.put({})
        unit.driver.execute("DELETE FROM facts")
    take(source, lines[1:])
    assert sorted(map(repr, export(source.home))) == sorted(map(repr, lines))
    sound(source)


def test_beside_other_users_and_other_records(source: Store, other: Store) -> None:
    bob = user(other, "bob")
    kept = put(other, bob, "walrus of bob")
    ann = user(other, "ann")
    mine = put(other, ann, "walrus of before")
    take(other, export(source.home)[1:])
    assert mine.id in words(other, ann, "walrus")
    assert len(words(other, ann, "walrus")) == len(words(source, 1, "walrus")) + 1
    assert words(other, bob, "walrus") == [kept.id]
    assert user(source, "ann") != ann
    assert take(other, export(other.home)[1:]).new == {}
    sound(other)


def changed(lines: Lines, record: str, **values: Any) -> Lines:
    made = copy.deepcopy(lines)
    of(made, record)[0].update(values)
    return made


CASES: dict[str, tuple[Callable[[Lines], Lines], str]] = {
    "memory": (lambda lines: changed(lines, "memory", agent="else"), "differs in agent"),
    "session": (lambda lines: changed(lines, "session", title="else"), "differs in title"),
    "message": (lambda lines: changed(lines, "message", content="else"), "differs in content"),
    "facts": (lambda lines: changed(lines, "facts", user_facts={}), "differs in user_facts"),
    "persona": (lambda lines: changed(lines, "persona", definition="else"), "differs in definition"),
    "link": (lambda lines: changed(lines, "link", kind="branch"), "differs in kind"),
    "another link": (lambda lines: changed(lines, "link", id="link_else"), "is here already, as link_"),
    "another session": (lambda lines: changed(lines, "session", id="ses_else"), "is here already, as ses_"),
    "fewer messages": (lambda lines: [line for line in lines if line.get("id") != "m2"], "is here already, with"),
    "fewer revisions": (lambda lines: [line for line in lines if line.get("record") != "revision"], "earlier revisions"),
    "no session before": (lambda lines: of(lines, "message"), "not behind its session"),
    "no memory before": (lambda lines: of(lines, "revision"), "not behind its memory"),
    "a link to nowhere": (lambda lines: changed(of(lines, "link"), "link", id="l", to="ses_no"), "no session ses_no"),
    "nothing to cover": (lambda lines: changed(of(lines, "coverage"), "coverage", memory="mem_no"), "no memory mem_no"),
    "a time that is none": (lambda lines: changed(lines, "facts", updated="2026-02-30T00:00:00Z"), "cannot be kept"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_does_not_fit_is_refused_whole(source: Store, case: str) -> None:
    change, words_ = CASES[case]
    new = put(source, 1, "new here")
    extra = [line for line in export(source.home) if line.get("id") == new.id]
    with source.write(1) as unit:
        unit.memories.erase(new.id)
    assert source.wait_indexed(30)
    before = rows(source)
    lines = export(source.home)
    with pytest.raises(Unfit, match=words_):
        take(source, [*extra, *change(lines[1:])])
    assert rows(source) == before


def test_another_users_id_is_refused(source: Store) -> None:
    lines = export(source.home)
    for record in ("memory", "session"):
        with pytest.raises(Unfit, match="another user's"):
            take(source, of(lines, record)[:1], name="bob")
    with source.read(0) as unit:
        assert unit.users.find("bob") is None


def test_a_session_that_has_grown_is_refused(source: Store, other: Store) -> None:
    lines = export(source.home)
    take(other, lines[1:])
    (first, *_) = of(lines, "session")
    append(other, 1, first["id"], said("more", first=7))
    with pytest.raises(Unfit, match="is here already"):
        take(other, lines[1:])


def test_times_with_an_offset_are_converted(other: Store) -> None:
    session(other, user(other, "ann"))
    lines = export(other.home)
    line = {**of(lines, "session")[0], "id": "ses_x", "native_id": "x", "created": "2026-01-01T00:00:00-05:00"}
    take(other, [line])
    assert of(export(other.home), "session")[-1]["created"] == "2026-01-01T05:00:00.000000Z"


def test_a_writer_is_not_in_the_way(source: Store) -> None:
    with exporting(source.home, "ann") as lines:
        header = next(lines)
        put(source, 1, "after the header")
        assert len(list(lines)) == sum(header["counts"].values())


def test_no_such_user_and_no_such_home(source: Store, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no user bob"), exporting(source.home, "bob"):
        pass
    with pytest.raises(StoreUnusable, match="nothing is stored there"), exporting(tmp_path / "nowhere", "ann"):
        pass
