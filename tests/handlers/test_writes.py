"""Operation keys, revisions, merges, facts: what a write does, once, and what it refuses."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.live import Live, store

NOTE = {"summary": "Keyed", "context": "written once", "conversation_id": "nc-keys-20260529"}


def keyed(client: httpx.Client, key: str, **changes: Any) -> httpx.Response:
    return client.post("/v1/memories", json=NOTE | changes, headers={"idempotency-key": key})


def test_a_repeated_call_is_replayed(live: Live, rest: httpx.Client) -> None:
    first, second = keyed(rest, "k1"), keyed(rest, "k1")
    assert "replayed" not in first.json()
    assert second.json()["replayed"] is True
    assert second.json()["operation"]["name"] == "store_context"
    assert {k: v for k, v in second.json().items() if k not in ("replayed", "operation")} == first.json()
    assert first.headers["location"] == second.headers["location"] == f"/v1/memories/{first.json()['memory_id']}"
    assert len(rest.get("/v1/memories").json()["items"]) == 1


def test_a_key_with_another_call_is_a_conflict(rest: httpx.Client) -> None:
    keyed(rest, "k1")
    answer = keyed(rest, "k1", context="something else")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "CONFLICT")
    other = rest.patch("/v1/facts", json={"a": 1}, headers={"idempotency-key": "k1"})
    assert other.status_code == 409
    assert len(rest.get("/v1/memories").json()["items"]) == 1
    assert rest.get("/v1/facts").json()["user_facts"] == {}


def test_calls_at_once_write_once(rest: httpx.Client) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: keyed(rest, "same").json(), range(8)))
    assert len({answer["memory_id"] for answer in answers}) == 1
    assert sum("replayed" not in answer for answer in answers) == 1


def test_without_a_key_two_calls_are_two_memories(rest: httpx.Client) -> None:
    assert store(rest, "twice") != store(rest, "twice")


def test_keys_belong_to_their_caller(live: Live, rest: httpx.Client) -> None:
    keyed(rest, "k1")
    with live.rest() as other:
        assert "replayed" not in keyed(other, "k1").json()


def test_erasing_a_memory_erases_its_operation(rest: httpx.Client) -> None:
    memory = keyed(rest, "k1").json()["memory_id"]
    rest.delete(f"/v1/memories/{memory}")
    assert "replayed" not in keyed(rest, "k1").json()


@pytest.mark.parametrize("key", ["", "x" * 129, "a\tb"])
def test_a_bad_key_is_refused(rest: httpx.Client, key: str) -> None:
    assert keyed(rest, key).status_code == 422
    assert rest.get("/v1/memories").json()["items"] == []


def test_stale_parents_change_nothing(rest: httpx.Client) -> None:
    memory = store(rest, "first")
    one = rest.get(f"/v1/memories/{memory}").json()["revision"]
    two = rest.patch(f"/v1/memories/{memory}", json={"body": "second", "parents": [one]}).json()["revision"]
    stale = rest.patch(f"/v1/memories/{memory}", json={"body": "third", "parents": [one]})
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "CONFLICT")
    now = rest.get(f"/v1/memories/{memory}").json()
    assert (now["context"], now["revision"]) == ("second", two)
    last = rest.patch(f"/v1/memories/{memory}", json={"body": "fourth"})
    assert last.status_code == 200
    assert [i["body"] for i in rest.get(f"/v1/memories/{memory}/revisions").json()["items"]] == [
        "fourth",
        "second",
        "first",
    ]


def test_naming_other_revisions_merges(live: Live, rest: httpx.Client) -> None:
    kept, merged = store(rest, "kept"), store(rest, "merged")
    revisions = [rest.get(f"/v1/memories/{m}").json()["revision"] for m in (kept, merged)]
    answer = rest.patch(f"/v1/memories/{kept}", json={"body": "kept and merged", "parents": revisions})
    assert answer.status_code == 200, answer.text
    assert rest.get(f"/v1/memories/{merged}").json()["status"] == "superseded"
    assert [i["id"] for i in rest.post("/v1/memory-recall", json={"query": "merged"}).json()["items"]] == [kept]


def test_patch_leaves_omitted_fields_alone(rest: httpx.Client) -> None:
    memory = store(rest, "text", tags=["a", "b"], company_client="Orchard Co", billable=False)
    rest.patch(f"/v1/memories/{memory}", json={"title": "Other"})
    now = rest.get(f"/v1/memories/{memory}").json()
    assert (now["tags"], now["company_client"], now["billable"], now["title"]) == (
        ["a", "b"],
        "Orchard Co",
        False,
        "Other",
    )
    rest.patch(f"/v1/memories/{memory}", json={"tags": []})
    assert rest.get(f"/v1/memories/{memory}").json()["tags"] == []


def test_text_comes_back_exactly(rest: httpx.Client) -> None:
    for text in (
        '{"k":1}',
        "  blanks \r\n tabs\t",
        "ﬁ ＡＢＣ é e\u0301 ÅÅ",
        "★ 🎉 完成 naïve 👩‍👩‍👧",
        "\u2028\u200b\ufeff",
    ):
        memory = rest.get(f"/v1/memories/{store(rest, text, summary=text)}").json()
        assert (memory["context"], memory["summary"]) == (text, text)


def test_a_memory_over_one_mebibyte(rest: httpx.Client) -> None:
    answer = rest.post("/v1/memories", json=NOTE | {"context": "é" * (1024 * 1024 - 10)})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "PAYLOAD_TOO_LARGE")
    assert rest.get("/v1/memories").json()["items"] == []


def test_merge_patches_in_order(rest: httpx.Client) -> None:
    steps: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"a": [1, None, 2]}, {"a": [1, None, 2]}),
        ({"b": {"c": None, "d": 1}}, {"a": [1, None, 2], "b": {"d": 1}}),
        ({"b": {"d": None}}, {"a": [1, None, 2], "b": {}}),
        ({"a": {"x": 1}}, {"a": {"x": 1}, "b": {}}),
        ({"zz": None}, {"a": {"x": 1}, "b": {}}),
        ({"a": None}, {"b": {}}),
        ({}, {"b": {}}),
    ]
    for patch, document in steps:
        for media in ("application/merge-patch+json", "application/json"):
            answer = rest.patch(
                "/v1/facts",
                content=httpx.Request("PATCH", "http://x", json=patch).content,
                headers={"content-type": media},
            )
            assert answer.status_code == 200, answer.text
            assert answer.json()["user_facts"] == document
        assert rest.get("/v1/facts").json()["user_facts"] == document


def test_facts_have_a_limit_in_bytes(rest: httpx.Client) -> None:
    rest.patch("/v1/facts", json={"kept": True})
    fits = {"t": "身" * 1358}  # {"kept":true,"t":"…"} is 20 bytes around it
    over = rest.patch("/v1/facts", json={"t": "身" * 1360})
    assert (over.status_code, over.json()["error"]["code"]) == (413, "FACTS_TOO_LARGE")
    assert rest.get("/v1/facts").json()["user_facts"] == {"kept": True}
    answer = rest.patch("/v1/facts", json=fits)
    assert answer.status_code == 200
    assert answer.json()["bytes"] <= 4096


def test_a_replay_shows_the_facts_as_they_are(rest: httpx.Client) -> None:
    rest.patch("/v1/facts", json={"a": 1}, headers={"idempotency-key": "f"})
    rest.patch("/v1/facts", json={"a": None, "b": 2})
    again = rest.patch("/v1/facts", json={"a": 1}, headers={"idempotency-key": "f"}).json()
    assert (again["replayed"], again["user_facts"]) == (True, {"b": 2})


def test_erasing_all_of_a_user(live: Live) -> None:
    key = live.key("leaver")
    with live.rest(key) as client, live.rest() as other:
        kept = store(other, "of somebody else")
        store(client, "mine")
        client.patch("/v1/facts", json={"name": "Ann"})
        assert client.delete("/v1/me/data", params={"confirm": "somebody"}).status_code == 409
        receipt = client.delete("/v1/me/data", params={"confirm": "leaver"}).json()
        assert receipt["erased"]["memories"] == 1
        assert client.get("/v1/memories").json()["items"] == []
        assert client.get("/v1/facts").json()["user_facts"] == {}
        assert other.get(f"/v1/memories/{kept}").status_code == 200


def merge(client: httpx.Client, into: str, *others: str, **changes: Any) -> httpx.Response:
    """Merge memories into one, all from their current revisions."""
    parents = [client.get(f"/v1/memories/{memory}").json()["revision"] for memory in (into, *others)]
    return client.patch(f"/v1/memories/{into}", json={"parents": parents, **changes})


@pytest.mark.parametrize("state", [{"status": "archived"}, {"pending": True}])
def test_what_is_not_in_force_takes_nothing_in(rest: httpx.Client, state: dict[str, Any]) -> None:
    kept, other = store(rest, "kept"), store(rest, "other")
    assert merge(rest, kept, other, **state).status_code == 409
    rest.patch(f"/v1/memories/{kept}", json=state)
    assert merge(rest, kept, other).status_code == 409
    assert rest.get(f"/v1/memories/{other}").json()["status"] == "active"


def test_two_memories_cannot_supersede_each_other(rest: httpx.Client) -> None:
    one, two = store(rest, "one"), store(rest, "two")
    assert merge(rest, one, two).status_code == 200
    assert merge(rest, two, one).status_code == 409
    assert rest.get(f"/v1/memories/{one}").json()["status"] == "active"


def test_being_merged_is_a_revision(rest: httpx.Client) -> None:
    kept, merged = store(rest, "kept"), store(rest, "merged")
    before = rest.get(f"/v1/memories/{merged}").json()["revision"]
    merge(rest, kept, merged)
    assert rest.get(f"/v1/memories/{merged}").json()["revision"] != before
    late = rest.patch(f"/v1/memories/{merged}", json={"title": "late", "parents": [before]})
    assert late.status_code == 409
