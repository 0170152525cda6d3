"""Text put in is found at once by its words and soon by its meaning, by each of the searches."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.live import Live, store

NOTES = {
    "date": "Release OC-41252 moved to 2026-03-14",
    "han": "用户身份验证失败需要处理",
    "pool": "db pool size is 20",
    "cpp": "The C++ worker leaks memory in std::vector",
    "emoji": "Deployment finished ★ 🎉 完成 naïve",
    "path": "Errors are in /var/log/app/err_2.log, 100% of them",
}


@pytest.fixture(scope="module")
def notes(live: Live) -> Iterator[tuple[httpx.Client, dict[str, str]]]:
    with live.rest() as client:
        yield (
            client,
            {name: store(client, text, summary=f"Note {number}") for number, (name, text) in enumerate(NOTES.items())},
        )


def literal(client: httpx.Client, query: str) -> list[str]:
    answer = client.post("/v1/memory-recall", json={"query": query})
    assert answer.status_code == 200, answer.text
    return [item["id"] for item in answer.json()["items"]]


def found(client: httpx.Client, route: str, query: str) -> list[str]:
    answer = client.post(f"/v1/{route}", json={"query": query})
    assert answer.status_code == 200, answer.text
    return [memory["memory_id"] for memory in answer.json()["memories"]]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("2026-03-14", "date"), ("OC-41252", "date"), ("oc-41252 MOVED", "date"),
        ("用户", "han"), ("用户身份", "han"), ("身份验证", "han"), ("db", "pool"), ("C++", "cpp"), ("std::vector", "cpp"),
        ("🎉", "emoji"), ("完成", "emoji"), ("NAÏVE", "emoji"), ("100%", "path"), ("err_2", "path"), ("/var/log/app", "path"),
    ],
)  # fmt: skip
def test_literal_text_is_found_at_once(notes: tuple[httpx.Client, dict[str, str]], query: str, name: str) -> None:
    client, ids = notes
    assert literal(client, query) == [ids[name]]
    listed = client.get("/v1/memories", params={"query": query}).json()["items"]
    assert [item["id"] for item in listed] == [ids[name]]


@pytest.mark.parametrize("query", ["%", "_", "er__2", "1000%", "用 户", "*"])
def test_wildcards_are_ordinary_characters(notes: tuple[httpx.Client, dict[str, str]], query: str) -> None:
    client, ids = notes
    expected = [ids["path"]] if query in ("%", "_") else []
    assert literal(client, query) == expected


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("2026-03-14", "date"),
        ("OC-41252", "date"),
        ("用户", "han"),
        ("身份验证", "han"),
        ("db", "pool"),
        ("C++", "cpp"),
        ("naive", "emoji"),
    ],
)
def test_words_come_first_in_search_and_recall(
    notes: tuple[httpx.Client, dict[str, str]], query: str, name: str
) -> None:
    client, ids = notes
    assert found(client, "memory-search", query)[0] == ids[name]
    assert found(client, "context-recall", query)[0] == ids[name]


@pytest.mark.parametrize(
    "query", ["'", '"', "a AND", "NOT", "x:y", "(", "^", "NEAR(a b", "title:", "-", "* *", "\\", "{a b}: c", "🎉"]
)
def test_no_text_is_query_syntax(notes: tuple[httpx.Client, dict[str, str]], query: str) -> None:
    client, _ = notes
    for route in ("memory-search", "context-recall"):
        assert client.post(f"/v1/{route}", json={"query": query}).status_code == 200


def test_meaning(live: Live, rest: httpx.Client) -> None:
    wanted = store(rest, "The kitten slept on the sofa all afternoon", summary="At home")
    store(rest, "Quarterly revenue rose by four percent", summary="Figures")
    live.indexed()
    assert found(rest, "memory-search", "a young cat napping on the couch")[0] == wanted


def test_the_same_query_gives_the_same_confidence(live: Live, rest: httpx.Client) -> None:
    store(rest, "We chose PostgreSQL 15 with Prisma", summary="Database decision")
    live.indexed()
    answers = [rest.post("/v1/memory-search", json={"query": "which database"}).json() for _ in range(3)]
    assert answers[0]["memories"][0]["confidence"] > 0
    assert answers[0] == answers[1] == answers[2]


def test_an_edit_hides_the_old_text(live: Live, rest: httpx.Client) -> None:
    memory = store(rest, "alpha secret plan", summary="alpha")
    live.indexed()
    answer = rest.patch(
        f"/v1/memories/{memory}", json={"title": "beta", "summary": "beta", "body": "schedule of the trip"}
    )
    assert answer.status_code == 200, answer.text
    live.indexed()
    assert literal(rest, "alpha secret plan") == []
    hits = rest.post("/v1/memory-search", json={"query": "alpha secret plan"}).json()["memories"]
    assert all("alpha" not in hit["summary"] for hit in hits)
    assert literal(rest, "schedule") == [memory]
    old = rest.get(f"/v1/memories/{memory}/revisions").json()["items"]
    assert [(item["body"], item["current"]) for item in old] == [
        ("schedule of the trip", True),
        ("alpha secret plan", False),
    ]


def test_what_is_put_away_is_found_only_when_asked_for(live: Live, rest: httpx.Client) -> None:
    memory = store(rest, "gamma notes", summary="gamma")
    rest.patch(f"/v1/memories/{memory}", json={"status": "archived"})
    live.indexed()
    assert literal(rest, "gamma") == []
    assert found(rest, "memory-search", "gamma") == []
    asked = rest.post("/v1/memory-recall", json={"query": "gamma", "status": "archived"}).json()["items"]
    assert [item["id"] for item in asked] == [memory]


def test_erased_is_gone(live: Live, rest: httpx.Client) -> None:
    memory = store(rest, "delta notes", summary="delta")
    live.indexed()
    assert rest.delete(f"/v1/memories/{memory}").status_code == 200
    assert literal(rest, "delta") == []
    assert found(rest, "memory-search", "delta notes") == []
    assert rest.get(f"/v1/memories/{memory}").status_code == 404
    assert rest.get(f"/v1/memories/{memory}/revisions").status_code == 404
    assert rest.delete(f"/v1/memories/{memory}").status_code == 404


def test_pending_is_searchable_but_not_recalled(live: Live, rest: httpx.Client) -> None:
    memory = store(rest, "epsilon idea", summary="epsilon")
    rest.patch(f"/v1/memories/{memory}", json={"pending": True})
    live.indexed()
    assert found(rest, "context-recall", "epsilon idea") == []
    hits = rest.post("/v1/memory-search", json={"query": "epsilon idea"}).json()["memories"]
    assert [(hit["memory_id"], hit.get("pending")) for hit in hits] == [(memory, True)]
    rest.patch(f"/v1/memories/{memory}", json={"pending": False})
    assert found(rest, "context-recall", "epsilon idea") == [memory]


def test_a_script_the_model_does_not_read_is_found_by_its_words_alone(live: Live, rest: httpx.Client) -> None:
    wanted = store(rest, "用户身份验证失败需要处理", summary="登录问题")
    for other in ("今天晚饭吃什么", "🎉🎉🎉", "a" * 100, "The deploy went well"):
        store(rest, other, summary=other[:20])
    live.indexed()
    hits = rest.post("/v1/memory-search", json={"query": "用户身份"}).json()["memories"]
    assert [hit["memory_id"] for hit in hits] == [wanted]
    assert rest.post("/v1/memory-search", json={"query": "🎈"}).json()["memories"] == []
    assert rest.post("/v1/memory-search", json={"query": "天気予報"}).json()["memories"] == []


def test_a_long_title_does_not_stop_the_list(rest: httpx.Client) -> None:
    long = store(rest, "\u0001" * 5000, summary="\u0001" * 8000)
    item = rest.post("/v1/memory-recall", json={}).json()["items"][0]
    assert (item["id"], item["title_truncated"], len(item["title"])) == (long, True, 200)
    assert len(rest.get(f"/v1/memories/{long}").json()["title"]) == 8000
