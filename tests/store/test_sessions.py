"""Sessions: captured once however often, paged, put into order, linked, erased."""

from __future__ import annotations

import threading
import time
import tracemalloc
from datetime import UTC, datetime, timedelta, timezone

import pytest
from tallystick.store import Conflict, MessageDraft, MessageHit, NotFound, SessionDraft, SessionFilter, Store

from .conftest import draft, user
from .talk import append, find, get, read, said, session, sound
from .test_erasing import wait_scrubbed

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_everything_comes_back_as_given(store: Store, owner: int) -> None:
    made = session(store, owner, title="T ★", cwd="/srv/a b", created=AT, updated=AT + timedelta(hours=1))
    content = "用户\u2028 naïve\n **bold** C++ 🎉"
    at = datetime(2026, 3, 1, 7, 0, 0, 5, tzinfo=timezone(timedelta(hours=-5)))
    append(store, owner, made.id, [MessageDraft("m1", "user", content, at), MessageDraft("m2", "tool", "")])
    first, second = read(store, owner, made.id)
    assert (first.id, first.role, first.content, first.position, first.covered) == ("m1", "user", content, 0, False)
    assert first.timestamp == datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)
    assert (second.content, second.timestamp, second.content_length) == ("", None, 0)
    found = get(store, owner, made.id)
    assert found.id.startswith("ses_")
    assert found == made._replace(message_count=2, uncovered=2)
    assert (found.title, found.cwd, found.created, found.updated) == ("T ★", "/srv/a b", AT, AT + timedelta(hours=1))
    (cut,) = read(store, owner, made.id, limit=1, content_chars=2)
    assert (cut.content, cut.content_length) == ("用户", len(content))
    sound(store)


def test_upsert_knows_a_session_again(store: Store, owner: int) -> None:
    with store.write(owner) as unit:
        made, new = unit.sessions.upsert(SessionDraft(agent="claude", native_id="n", title="one", created=AT))
        again, other = unit.sessions.upsert(SessionDraft(agent="claude", native_id="n"))
        assert (new, other, again) == (True, False, made)
        later = AT + timedelta(days=1)
        grown, _ = unit.sessions.upsert(
            SessionDraft(agent="claude", native_id="n", title="two", cwd="/x", created=later, updated=later)
        )
        codex, codex_new = unit.sessions.upsert(SessionDraft(agent="codex", native_id="n"))
    assert (grown.id, grown.title, grown.cwd, grown.created, grown.updated) == (made.id, "two", "/x", AT, later)
    assert codex_new
    with store.read(owner) as unit:
        assert unit.sessions.get(codex.id) == codex
        assert unit.sessions.get("n", "codex") == codex
        assert unit.sessions.get("unknown") is None
        with pytest.raises(Conflict, match="several agents"):
            unit.sessions.get("n")
        assert unit.sessions.get_many([codex.id, "ses_x", made.id]) == [codex, grown]
    with store.read(user(store, "bob")) as unit:
        assert unit.sessions.get(made.id) is unit.sessions.get("n") is None
        assert unit.sessions.count() == 0


def test_a_title_and_times_come_from_the_messages(store: Store, owner: int) -> None:
    made = session(store, owner)
    old = AT - timedelta(days=100)
    asked = "\n  How do I keep the migration of the very large billing table from locking it for minutes at a time?\nx"
    append(store, owner, made.id, [MessageDraft("a", "system", "be kind", old), MessageDraft("b", "user", asked, AT)])
    found = get(store, owner, made.id)
    assert found.title == "How do I keep the migration of the very large billing table from locking it for…"
    assert (found.created, found.updated) == (old, AT)
    append(store, owner, made.id, [MessageDraft("c", "user", "more", AT + timedelta(hours=1))])
    assert get(store, owner, made.id).updated == AT + timedelta(hours=1)
    append(store, owner, made.id, [MessageDraft("d", "user", "no time")])
    assert get(store, owner, made.id).updated == AT + timedelta(hours=1), "an import of old messages is no activity"
    append(store, owner, made.id, [MessageDraft("e", "user", "now")], at=AT + timedelta(days=1))
    assert get(store, owner, made.id).updated == read(store, owner, made.id)[-1].timestamp == AT + timedelta(days=1)


def test_appending_again_adds_only_what_is_new(store: Store, owner: int) -> None:
    made = session(store, owner, "one", "two")
    before = read(store, owner, made.id)
    assert append(store, owner, made.id, said("one", "two", "three")) == (1, 2, 0, 3)
    assert append(store, owner, made.id, said("one", "TWO changed", "three")) == (0, 2, 1, 3)
    assert append(store, owner, made.id, []) == (0, 0, 0, 3)
    after = read(store, owner, made.id)
    assert [one.content for one in after] == ["one", "TWO changed", "three"]
    assert [one.version == old.version for one, old in zip(after, before, strict=False)] == [True, False]
    twice = [MessageDraft("x", "user", "a"), MessageDraft("x", "user", "b"), MessageDraft("x", "user", "b")]
    assert append(store, owner, made.id, twice) == (1, 1, 1, 4)
    assert read(store, owner, made.id)[-1].content == "b"
    assert append(store, owner, made.id, twice) == (0, 1, 2, 4), "as given: another text, and that one back"
    assert find(store, owner, "TWO").total == 1
    sound(store)


def test_two_append_at_once(store: Store, owner: int) -> None:
    made = session(store, owner)
    messages = said(*(f"text {i}" for i in range(400)))

    def feed() -> None:
        for start in range(0, 400, 50):
            append(store, owner, made.id, messages[start : start + 50])

    threads = [threading.Thread(target=feed) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.id for one in read(store, owner, made.id)] == [one.id for one in messages]
    sound(store)


def test_a_long_session_takes_little_memory_and_is_read_at_once(store: Store, owner: int) -> None:
    made = session(store, owner)
    count = 20_000
    tracemalloc.start()
    append(store, owner, made.id, (MessageDraft(f"m{i}", "tool", f"line {i} " + "x" * 2000) for i in range(count)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8_000_000, "of 40 MB"
    assert get(store, owner, made.id).message_count == count

    def seconds(offset: int) -> float:
        best = 1.0
        for _ in range(15):
            started = time.perf_counter()
            page = read(store, owner, made.id, limit=50, offset=offset)
            best = min(best, time.perf_counter() - started)
            assert page[0].position == offset
        return best

    assert seconds(count - 50) < 3 * seconds(0)


def test_pages_of_messages(store: Store, owner: int) -> None:
    made = session(store, owner, *(str(i) for i in range(30)))
    assert [one.content for one in read(store, owner, made.id, limit=3, offset=28)] == ["28", "29"]
    assert [one.id for one in read(store, owner, made.id, limit=2, start="m7")] == ["m7", "m8"]
    assert [one.id for one in read(store, owner, made.id, limit=2, start="m7", offset=3)] == ["m10", "m11"]
    assert read(store, owner, made.id, offset=30) == []
    with store.read(owner) as unit:
        message = unit.sessions.message(made.id, "m7")
        assert message is not None
        assert (message.content, message.position) == ("7", 7)
        assert unit.sessions.message(made.id, "m99") is None
    for who, session_id, start in (
        (owner, made.id, "m99"),
        (owner, "ses_x", None),
        (user(store, "bob"), made.id, None),
    ):
        with pytest.raises(NotFound):
            read(store, who, session_id, start=start)


def found_in(store: Store, owner: int, query: str) -> list[str]:
    return [hit.message for hit in find(store, owner, query).hits if isinstance(hit, MessageHit)]


def test_arranging(store: Store, owner: int) -> None:
    made = session(store, owner, "zero", "one", "two", "three", "four", title="Walrus plans")
    assert found_in(store, owner, "walrus") == ["m0"]
    with store.write(owner) as unit:
        assert unit.sessions.arrange(made.id, [f"m{i}" for i in range(5)]) == (0, 0, 5)
        assert unit.sessions.arrange(made.id, ["m3", "unknown", "m0", "m3", "m2"]) == (2, 2, 3)
    assert [(one.id, one.position) for one in read(store, owner, made.id)] == [("m3", 0), ("m0", 1), ("m2", 2)]
    assert [find(store, owner, word).total for word in ("one", "two")] == [0, 1]
    assert found_in(store, owner, "walrus") == ["m3"]
    assert append(store, owner, made.id, said("one", first=1)) == (1, 0, 0, 4)
    with store.write(owner) as unit:
        assert unit.sessions.withdraw(made.id, ["unknown"]) == (0, 0, 4)
        assert unit.sessions.withdraw(made.id, ["m0", "unknown"]) == (2, 1, 3)
        assert [one.id for one in unit.sessions.messages(made.id)] == ["m3", "m2", "m1"]
    with pytest.raises(NotFound), store.write(owner) as unit:
        unit.sessions.withdraw("ses_x", [])
    with pytest.raises(NotFound), store.write(owner) as unit:
        unit.sessions.arrange("ses_x", [])
    with store.write(owner) as unit:
        assert unit.sessions.arrange(made.id, []) == (0, 3, 0)
    sound(store)


def test_pages_of_sessions(store: Store, owner: int) -> None:
    for i in range(25):
        session(store, owner, native_id=f"n{i}", agent="codex" if i % 5 == 0 else "claude", created=AT, title=f"T{i}")
    session(store, user(store, "bob"), native_id="other")
    seen: list[str] = []
    after = None
    while True:
        with store.read(owner) as unit:
            page = unit.sessions.page(limit=10, after=after)
        if not page:
            break
        seen += [one.native_id for one in page]
        after = (page[-1].created, page[-1].id)
        session(store, owner, native_id=f"later{len(seen)}")
    assert len(seen) == len(set(seen)) == 25
    with store.read(owner) as unit:
        assert len(unit.sessions.page(SessionFilter(agent="codex"), 50)) == 5
        assert unit.sessions.count(SessionFilter(agent="claude", until=AT + timedelta(seconds=1))) == 20


def test_filters_and_activity(store: Store, owner: int) -> None:
    hour = timedelta(hours=1)
    a = session(store, owner, native_id="a", title="Straße 用户", created=AT, updated=AT + 5 * hour)
    b = session(store, owner, native_id="b", cwd="/srv/Shop_100%", created=AT + hour)
    c = session(store, owner, native_id="c", agent="codex", created=AT + 2 * hour)

    def ids(**where: object) -> set[str]:
        with store.read(owner) as unit:
            found = unit.sessions.page(SessionFilter(**where))  # type: ignore[arg-type]
            assert unit.sessions.count(SessionFilter(**where)) == len(found)  # type: ignore[arg-type]
        return {one.native_id for one in found}

    assert ids(since=AT + 2 * hour) == {"a", "c"}
    assert ids(until=AT + 2 * hour) == {"a", "b"}
    assert ids(query="STRASSE") == ids(query="用户") == {"a"}
    assert ids(query="_100%") == ids(query="shop") == {"b"}
    assert ids(query="zebra") == ids(query="_%") == set()
    with store.read(owner) as unit:
        assert unit.sessions.latest(2) == [a, c]
        assert unit.sessions.latest(9, "claude") == [a, b]
        assert unit.sessions.active("claude", AT + 2 * hour) == [a]
        assert unit.sessions.active("claude", AT) == [a, b]
        assert unit.sessions.active("claude", AT + 6 * hour) == []


def test_links(store: Store, owner: int) -> None:
    a, b, c = (session(store, owner, native_id=name) for name in "abc")
    stranger = session(store, user(store, "bob"))
    with store.write(owner) as unit:
        made, new = unit.links.add(a.id, b.id, "continuation", AT)
        again, other = unit.links.add(a.id, b.id, "continuation")
        back, _ = unit.links.add(b.id, a.id, "reference")
        unit.links.add(b.id, c.id, "branch")
        assert (new, other, again) == (True, False, made)
        assert (made.source, made.target, made.kind, made.created) == (a.id, b.id, "continuation", AT)
        assert unit.links.of(a.id) == [made, back]
        assert len(unit.links.of(b.id)) == 3
        with pytest.raises(Conflict, match="itself"):
            unit.links.add(a.id, a.id, "reference")
        for one, two in ((a.id, stranger.id), (stranger.id, a.id), (a.id, "x"), ("n", "n")):
            with pytest.raises(NotFound):
                unit.links.add(one, two, "reference")


def test_erasing_one(store: Store, owner: int) -> None:
    secret = "quokkasaurus"
    kept = session(store, owner, "a walrus", native_id="kept")
    made = session(store, owner, f"the {secret} 用户", "found", title=secret, cwd=f"/{secret}", native_id=secret)
    with store.write(owner) as unit:
        unit.links.add(kept.id, made.id, "reference")
        summary = unit.memories.create(draft("s", "sum", session=made.id, covered=["m0"]))
        unit.tasks.claim(f"summarize-{made.id}", "claude")
        unit.operations.add(
            agent="a", key="k", name="capture_session", args_hash="h", answer=secret, subject=made.id, now=AT
        )
    assert store.wait_indexed(30)
    with store.read(owner) as unit:
        assert made.id in dict(unit.sessions.related(secret, 9, unit.embed(secret)))
    with store.write(owner) as unit:
        assert not unit.sessions.erase("ses_x")
        assert unit.sessions.erase(made.id)
        assert not unit.sessions.erase(made.id)
    with store.read(owner) as unit:
        assert unit.sessions.get(made.id) is None
        assert made.id not in dict(unit.sessions.related(secret, 9, unit.embed(secret)))
        assert unit.links.of(kept.id) == []
        assert unit.memories.get(summary.id) is not None
        left = {
            table: unit.driver.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("coverage", "leases", "session_outbox", "operations", "session_links", "messages")
        }
    assert left == {
        "coverage": 0, "leases": 0, "session_outbox": 0, "operations": 0, "session_links": 0, "messages": 1
    }  # fmt: skip
    assert find(store, owner, secret, kind="session").total == 0
    assert find(store, owner, "walrus").total == 1
    wait_scrubbed(store, secret)
    sound(store)


def test_erasing_all_of_a_user(store: Store, owner: int) -> None:
    secret = "quokkasaurus"
    stranger = user(store, "bob")
    kept = session(store, stranger, "mine")
    for i in range(3):
        session(store, owner, f"{secret} {i}", "two", native_id=f"{i}")
    with store.write(owner) as unit:
        ids = [one.id for one in unit.sessions.page()]
        unit.links.add(ids[0], ids[1], "branch")
        unit.memories.create(draft(secret, secret, session=ids[0], covered=["m0", "m9"]))
        unit.memories.create(draft(secret, secret))
    assert store.wait_indexed(30)
    with store.write(owner) as unit:
        assert [one.kind for one in unit.tasks.list()] == ["summarize"] * 3 + ["consolidate"]
        erased = unit.erase_owner()
        assert unit.tasks.list() == []
    assert erased == {
        "memories": 2, "revisions": 2, "operations": 0, "facts": 0, "sessions": 3, "messages": 6, "links": 1
    }  # fmt: skip
    assert find(store, owner, secret).total == 0
    with store.read(owner) as unit:
        assert unit.sessions.related(secret, 9, unit.embed(secret)) == []
    assert [one.content for one in read(store, stranger, kept.id)] == ["mine"]
    assert store.wait_indexed(30)
    wait_scrubbed(store, secret)
    sound(store)
