"""memvault_search's engine: the user's own full-text syntax, nobody else's rows, hits marked in the text as it was written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tallystick.store import MemoryHit, MessageDraft, MessageHit, SessionDraft, Store, StoreBusy, engine

from .conftest import draft, put, user
from .talk import append, find, session, snippets

AT = datetime(2026, 3, 1, tzinfo=UTC)
TEXTS = (
    "Implement the folder picker, natively.",  # m0, also found by the session's title
    "用户身份验证失败需要处理itgc",
    "db pool size for the C++ service on .NET",
    "vitamin c and plan b; Release OC-41252 moved to 2026-03-14",
    "★ 完成 naïve Straße ｆｕｌｌ width 🎉",
    "an implementation that picks folders",
)


@pytest.fixture
def talk(store: Store, owner: int) -> str:
    stranger = user(store, "bob")
    session(store, stranger, "bob's folder picker secret", "用户 bar foo")
    return session(store, owner, *TEXTS, title="Picker work").id


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("folder picker", ["m0"]), ("pick* NOT picker", ["m5"]), ('"folder picker"', ["m0"]), ("picker folder", ["m0"]),
        ("implementing", ["m0", "m5"]), ("implement AND (picker OR dialog)", ["m0"]), ("NEAR(implement picker, 5)", ["m0"]),
        ("title:work", ["m0"]), ("body : picker", ["m0"]), ("^implement", ["m0"]), ("{title body}: (work AND picker)", ["m0"]),
        ("用户", ["m1"]), ("用户身份", ["m1"]), ("身份验证", ["m1"]), ("失败*", ["m1"]), ("itgc", ["m1"]), ("户 用", ["m1"]),
        ('"户 用"', []),
        ("用户 AND zebra", []), ("用户　失败", ["m1"]), ('"用户身份" AND itgc', ["m1"]), ("NEAR(用户 失败)", ["m1"]),
        ("db", ["m2"]), ('"C++"', ["m2"]), ('"c++" AND pool', ["m2"]), ("★", ["m4"]), ("🎉 完成", ["m4"]),
        ("naive strasse", ["m4"]), ("NAÏVE", ["m4"]), ("full", ["m4"]), ("ｆｕｌｌ", ["m4"]), ("vitamin — plan", ["m3"]),
        ("title:用户", []), ("zebra", []), ("body:(title:work)", []),
    ],
)  # fmt: skip
def test_expressions(store: Store, owner: int, talk: str, query: str, expected: list[str]) -> None:
    found = find(store, owner, query)
    assert sorted(hit.message for hit in found.hits if isinstance(hit, MessageHit)) == expected
    assert found.total == len(expected)
    assert found.interpreted is None


@pytest.mark.parametrize(
    ("query", "expected", "interpreted"),
    [
        ("2026-03-14", ["m3"], '"2026-03-14"'), ("OC-41252", ["m3"], '"OC-41252"'), ("C++", ["m2"], '"C++"'),
        (".NET", ["m2"], '".NET"'), ("picker? natively.", ["m0"], '"picker?" AND "natively."'),
        ("what's in the pool?", ["m2"], '"what\'s" OR "pool?"'), ("session:用户", [], '"session:用户"'),
        ('"unbalanced picker', ["m0"], '"""unbalanced" OR "picker"'), ("AND", ["m3"], '"AND"'), ("pool +", ["m2"], '"pool"'),
        ("scope:u1", [], '"scope:u1"'), ("---", [], None), ("", [], None), ("*", [], None), ("x" * 5000 + "-", [], f'"{"x" * 5000}-"'),
        ("(" * 500 + "picker" + ")" * 500, ["m0"], f'"{"(" * 500}picker{")" * 500}"'), ("db\x00pool", ["m2"], None),
    ],
)  # fmt: skip
def test_what_does_not_parse_is_looked_for_by_its_words(
    store: Store, owner: int, talk: str, query: str, expected: list[str], interpreted: str | None
) -> None:
    found = find(store, owner, query, kind="session")
    assert sorted(hit.message for hit in found.hits if isinstance(hit, MessageHit)) == expected
    assert found.interpreted == interpreted
    assert found.total == len(expected)


@pytest.mark.parametrize(
    "query",
    [
        "zebra) OR (bar",
        "zebra) OR scope:(u2",
        'zebra") OR ("bar',
        "zebra}:x) OR (foo",
        "bar OR foo",
        "secret",
        "NOT zebra",
        "b*",
    ],
)
def test_nobody_else_is_seen_or_counted(store: Store, owner: int, talk: str, query: str) -> None:
    put(store, user(store, "bob"), "bar", "foo secret")
    found = find(store, owner, query)
    assert all(isinstance(hit, MessageHit) and hit.session == talk for hit in found.hits)
    assert found.total == len(found.hits)


def test_an_owner_alone_and_in_company_finds_the_same(store: Store, owner: int) -> None:
    session(store, owner, *TEXTS)
    alone = [find(store, owner, query, kind="session") for query in ("folder", "用户", "C++", "implement OR plan")]
    session(store, user(store, "bob"), "folder plan")
    company = [find(store, owner, query, kind="session") for query in ("folder", "用户", "C++", "implement OR plan")]
    assert [{hit[:2] for hit in one.hits} for one in alone] == [{hit[:2] for hit in one.hits} for one in company]
    assert [one.total for one in alone] == [one.total for one in company] == [2, 1, 1, 3]


@pytest.mark.parametrize(
    ("query", "snippet"),
    [
        ("folder picker", "Implement the **folder** **picker**, natively."),
        ('"folder picker"', "Implement the **folder picker**, natively."),
        ("implementing natively", "**Implement** the folder picker, **natively**."),
        ("title:work", "Picker **work**"),
        ("用户", "**用户**身份验证失败需要处理itgc"),
        ("身份验证 ITGC", "用户**身份验证**失败需要处理**itgc**"),
        ('"C++"', "db pool size for the **C++** service on .NET"),
        (".NET", "db pool size for the C++ service on **.NET**"),
        ("2026-03-14", "vitamin c and plan b; Release OC-41252 moved to **2026-03-14**"),
        ("naive strasse 🎉", "★ 完成 **naïve** **Straße** ｆｕｌｌ width **🎉**"),
        ("full", "★ 完成 naïve Straße **ｆｕｌｌ** width 🎉"),
    ],
)
def test_snippets_are_cut_from_the_original(store: Store, owner: int, talk: str, query: str, snippet: str) -> None:
    assert snippet in snippets(store, owner, query)


@pytest.mark.parametrize("filler", ["plain words go on ", "用户身份 ", "ﬁ½ ™Ⅷ e\u0301 カ\u3099 ", "ab" * 40 + "＋ "])
def test_snippets_of_long_texts(store: Store, owner: int, filler: str) -> None:
    text = f"{filler * 300}\nthe Walrus,\u00a0完成 C# here\n{filler * 300}"
    session(store, owner, text, "Walrus" + "x" * 3000, title="t")
    found = find(store, owner, "walrus 完成 OR walrus*")
    assert found.total == 2
    for hit in found.hits:
        assert hit.snippet.startswith("...") or hit.message == "m1"  # type: ignore[union-attr]
        assert hit.snippet.endswith("...")
        assert len(hit.snippet) < 260
    (long,) = (hit.snippet for hit in found.hits if hit.message == "m0")  # type: ignore[union-attr]
    assert "**Walrus**" in long
    assert "**完成**" in long
    assert long.replace("**", "").removeprefix("...").removesuffix("...") in text


def test_memories_and_messages_together(store: Store, owner: int, talk: str) -> None:
    note = put(store, owner, "Picker decision ★", "We keep the native folder picker.", kind="knowledge", pending=True)
    asked = put(store, owner, "Other", "Nothing here.", user_query="Which FOLDER picker?", agent="codex")
    put(store, user(store, "bob"), "picker")
    with store.write(owner) as unit:
        old = unit.memories.create(draft("picker archive"))
        unit.memories.update(old.id, {"status": "archived"}, agent="a")
    found = find(store, owner, "folder picker")
    assert found.total == len(found.hits) == 3
    assert found.hits[0].score == 1.0
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    assert all(0 < hit.score <= 1 for hit in found.hits)
    memories = {hit.memory: hit for hit in found.hits if isinstance(hit, MemoryHit)}
    assert set(memories) == {note.id, asked.id}
    hit = memories[note.id]
    assert (hit.title, hit.kind, hit.pending, hit.timestamp) == ("Picker decision ★", "knowledge", True, note.updated)
    assert hit.snippet == "We keep the native **folder** **picker**."
    assert memories[asked.id].snippet == "Nothing here.\nWhich **FOLDER** **picker**?"
    assert find(store, owner, "decision", kind="memory").hits[0].snippet == "Picker **decision** ★"
    assert [find(store, owner, "picker", kind=kind).total for kind in ("memory", "session")] == [2, 1]
    assert {hit.memory for hit in find(store, owner, "picker", agent="codex").hits} == {asked.id}  # type: ignore[union-attr]
    assert [find(store, owner, "picker", role=role).total for role in ("user", "assistant", "tool")] == [1, 0, 0]
    assert find(store, owner, "picker", kind="memory", role="user") == ((), 0, None)


def test_pages_sorts_and_filters(store: Store, owner: int) -> None:
    for agent in ("claude", "codex-cli 用"):
        made = session(store, owner, agent=agent, native_id=agent, title="")
        texts = [
            MessageDraft(
                f"{agent}{i}", "user" if i % 2 else "assistant", f"walrus {'walrus ' * i}{i}", AT + timedelta(hours=i)
            )
            for i in range(20)
        ]
        append(store, owner, made.id, texts)
    for i in range(5):
        put(store, owner, f"walrus {i}")
    for sort in ("relevance", "recent"):
        for kind, total in ((None, 45), ("session", 40), ("memory", 5)):
            whole = find(store, owner, "walrus", kind=kind, sort=sort, limit=100)
            pages = [find(store, owner, "walrus", kind=kind, sort=sort, limit=7, offset=at) for at in range(0, 49, 7)]
            assert [hit for page in pages for hit in page.hits] == list(whole.hits)
            assert {page.total for page in pages} == {whole.total} == {total}
            key = (lambda hit: hit.score) if sort == "relevance" else (lambda hit: hit.timestamp)
            assert [key(hit) for hit in whole.hits] == sorted(map(key, whole.hits), reverse=True)
            assert max(hit.score for hit in whole.hits) == 1.0
    assert find(store, owner, "walrus", agent="codex-cli 用").total == 20
    assert find(store, owner, "walrus", agent="codex-cli 用", role="user").total == 10
    assert find(store, owner, "walrus", role="user").total == 20
    assert find(store, owner, "walrus", agent="codex").total == 0
    assert find(store, owner, "walrus", offset=1000) == ((), 45, None)


def test_an_edit_hides_the_old_text(store: Store, owner: int) -> None:
    made = session(store, owner, "alpha secret plan", title="One name")
    assert find(store, owner, "secret OR name").total == 1
    append(store, owner, made.id, [MessageDraft("m0", "assistant", "beta schedule")])
    with store.write(owner) as unit:
        unit.sessions.upsert(SessionDraft(agent="claude", native_id="n1", title="Another 名"))
    assert find(store, owner, "secret OR one OR alpha").total == 0
    assert snippets(store, owner, "beta") == ["**beta** schedule"]
    assert snippets(store, owner, "名") == ["Another **名**"]
    assert find(store, owner, "beta", role="user").total == 0
    assert find(store, owner, "beta", role="assistant").total == 1


def test_a_search_is_bounded(store: Store, owner: int, talk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    append(store, owner, talk, (MessageDraft(f"x{i}", "user", f"walrus number {i} of many " * 5) for i in range(4000)))
    assert find(store, owner, "walrus OR number OR many").total == 4000
    monkeypatch.setattr(engine, "QUERY_SECONDS", 0.0001)
    monkeypatch.setattr(engine, "STEPS", 100)
    with pytest.raises(StoreBusy):
        find(store, owner, "walrus OR number OR many")
