"""recall_context: fan-out by the Nexus table, facts once a conversation, the persona hint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.live import Live, store

TOPICS = {
    "bearer auth": "Bearer auth tokens are rotated and checked by the gateway, rule",
    "deploy": "Deploy runs the blue green rollout on the cluster, step",
    "invoices": "Invoices are numbered and mailed to customers, case",
    "search index": "Search index shards are rebuilt from the dump, shard",
    "holidays": "Holidays of the team are kept in the shared calendar, entry",
}
LONG = (
    "Please tell me what we decided about all of these things, since I have to write a report on each of them today, "
    * 2
)


@pytest.fixture(scope="module")
def many(live: Live) -> Iterator[httpx.Client]:
    """A user with twelve memories on each of five topics."""
    with live.rest() as client:
        for topic, text in TOPICS.items():
            for n in range(12):
                store(client, f"{text} {n}", summary=f"{topic} {n}")
        live.indexed()
        yield client


def recall(client: httpx.Client, **body: Any) -> dict[str, Any]:
    answer = client.post("/v1/context-recall", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize(("count", "per_topic", "most"), [(2, 8, 16), (3, 7, 21), (4, 6, 24), (5, 6, 30)])
def test_the_table(many: httpx.Client, count: int, per_topic: int, most: int) -> None:
    topics = list(TOPICS)[:count]
    answer = recall(many, query="report", user_query_full=LONG, topics=", ".join(topics))
    assert answer["fanned_out"] is True
    assert answer["topic_count"] == count
    assert [group["topic"] for group in answer["topic_groups"]] == topics
    assert all(len(group["memory_ids"]) == per_topic for group in answer["topic_groups"])
    ids = [memory["memory_id"] for memory in answer["memories"]]
    assert len(ids) == len(set(ids)) <= most
    assert {i for group in answer["topic_groups"] for i in group["memory_ids"]} == set(ids)
    summaries = {memory["memory_id"]: memory["summary"] for memory in answer["memories"]}
    for group in answer["topic_groups"]:
        assert summaries[group["memory_ids"][0]].startswith(group["topic"])


@pytest.mark.parametrize(
    "body",
    [
        {"query": "deploy", "topics": "bearer auth, deploy"},  # too short
        {"query": "deploy", "user_query_full": LONG[:199], "topics": "bearer auth, deploy"},
        {"query": "deploy", "user_query_full": LONG, "topics": "deploy"},  # one topic
        {"query": "deploy", "user_query_full": LONG, "topics": "deploy,  DEPLOY ,deploy"},  # one distinct topic
        {"query": "deploy", "user_query_full": LONG},
        {
            "query": "deploy",
            "user_query_full": LONG * 4,
            "use_full_query": False,
            "topics": "a, b",
        },  # searches the query
    ],
)
def test_no_fan_out(many: httpx.Client, body: dict[str, Any]) -> None:
    answer = recall(many, **body)
    assert not {"fanned_out", "topic_count", "topic_groups"} & answer.keys()
    assert len(answer["memories"]) == 10


def test_a_long_text_fans_out_by_itself(many: httpx.Client) -> None:
    text = (
        " ".join(
            f"What about {topic}? {text}. I would like to know every detail of it before noon."
            for topic, text in TOPICS.items()
        )
        * 2
    )
    assert len(text) >= 600
    answer = recall(many, query="x", user_query_full=text)
    assert 2 <= answer["topic_count"] <= 5


def test_topics_that_are_not_used_are_named(many: httpx.Client) -> None:
    wordy = "one topic that has a good deal more than ten words in it"
    topics = [*TOPICS, "sixth", wordy]
    answer = recall(many, query="x", user_query_full=LONG, topics=",".join(topics))
    assert answer["topics_dropped"] == ["sixth", wordy]
    assert answer["topic_count"] == 5


def test_the_full_message_is_searched_unless_it_is_not_wanted(many: httpx.Client) -> None:
    full = {"query": "holidays", "user_query_full": "How are invoices numbered?"}
    assert recall(many, **full)["memories"][0]["summary"].startswith("invoices")
    assert recall(many, **full, use_full_query=False)["memories"][0]["summary"].startswith("holidays")


def test_a_summary_is_cut_and_says_so(live: Live, rest: httpx.Client) -> None:
    long = store(rest, "text", summary="word " * 300)
    short = store(rest, "text", summary="word short")
    hits = {memory["memory_id"]: memory for memory in recall(rest, query="word")["memories"]}
    assert len(hits[long]["summary"]) <= 1200
    assert hits[long]["summary_truncated"] is True
    assert "summary_truncated" not in hits[short]
    assert len(rest.get(f"/v1/memories/{long}").json()["summary"]) == 1500


def test_confidence_tells_hits_from_noise(many: httpx.Client) -> None:
    def best(query: str) -> float:
        return float(recall(many, query=query)["memories"][0]["confidence"])

    assert best("how are invoices numbered and mailed") > 0.8
    assert best("zebra crossing at midnight") < 0.4


def test_facts_come_with_the_first_recall_of_a_conversation(live: Live) -> None:
    user = "facts-once"
    with live.rest(live.key(user)) as client, live.rest(live.key(user, scopes=["memory:read"])) as without:
        client.patch("/v1/facts", json={"family": {"wife": {"name": "Nicole"}}})
        facts = {"family": {"wife": {"name": "Nicole"}}}
        assert recall(client, query="x", conversation_id="nc-a-20260529")["user_facts"] == facts
        assert "user_facts" not in recall(client, query="x", conversation_id="nc-a-20260529")
        assert recall(client, query="x", conversation_id="nc-b-20260529")["user_facts"] == facts
        assert recall(client, query="x")["user_facts"] == facts
        assert recall(client, query="x")["user_facts"] == facts
        assert "user_facts" not in recall(without, query="x", conversation_id="nc-c-20260529")
        assert recall(client, query="x", conversation_id="nc-c-20260529")["user_facts"] == facts
        assert recall(client, query="Nicole wife family")["memories"] == []


def test_the_persona_hint_is_always_a_stored_persona(live: Live, rest: httpx.Client) -> None:
    assert "persona_hint" not in recall(rest, query="zebra crossing at midnight")
    for n in range(3):
        store(rest, "The parser fails on nested brackets; fixed the grammar", summary=f"Parser bug {n}", persona="jack")
        store(rest, "Unstored persona notes about pottery glazes", summary=f"Pottery {n}", persona="somebody")
    live.indexed()
    assert recall(rest, query="parser bug with nested brackets in the grammar")["persona_hint"] == "jack"
    assert recall(rest, query="pottery glazes notes").get("persona_hint") != "somebody"
    named = rest.get("/v1/personas/jack").json()
    assert named.keys() == {"name", "definition", "communication_style", "behavioral_guidelines"}
    missing = rest.get("/v1/personas/nobody")
    assert missing.status_code == 404
    assert all(name in missing.json()["error"]["message"] for name in ("betty", "jack", "nora"))


def test_an_offset_is_converted(live: Live) -> None:
    from datetime import UTC, datetime

    from tallystick.store import MemoryDraft

    key = live.key("offsets")
    with live.store.write(0) as unit:
        owner = unit.users.ensure("offsets")
    with live.store.write(owner) as unit:
        ids = [
            unit.memories.create(
                MemoryDraft(
                    kind="summary",
                    title="t",
                    summary="t",
                    body="b",
                    agent="a",
                    created=datetime(2026, 1, 1, h, m, s, tzinfo=UTC),
                )
            ).id
            for h, m, s in ((4, 59, 59), (5, 0, 1))
        ]
    with live.rest(key) as client:
        since = client.get("/v1/memories", params={"since": "2026-01-01T00:00:00-05:00"}).json()["items"]
        until = client.get("/v1/memories", params={"until": "2026-01-01T00:00:00-05:00"}).json()["items"]
        assert [item["id"] for item in since] == [ids[1]]
        assert [item["id"] for item in until] == [ids[0]]
        assert since[0]["created"] == "2026-01-01T05:00:01Z"
        assert client.get("/v1/memories", params={"since": "2016-12-31T23:59:60Z"}).status_code == 422
