"""The Memvault tools over the one store: the workflow of their documentation, tasks, links, batches."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.live import ERAS, Live

TALK = [
    ("msg_001", "user", "Please implement the folder picker with native dialogs"),
    ("msg_002", "assistant", "The folder picker is implemented; the dialog needed a parent window"),
]


def capture(client: httpx.Client, session: str = "native-1", talk: list[tuple[str, str, str]] = TALK) -> str:
    messages = [{"id": i, "role": role, "content": content} for i, role, content in talk]
    answer = client.put(f"/v1/sessions/{session}", json={"messages": messages})
    assert answer.status_code == 200, answer.text
    session_id: str = answer.json()["session"]
    return session_id


def update(client: httpx.Client, **memory: Any) -> dict[str, Any]:
    answer = client.post("/v1/memory-update", json=memory)
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


def test_the_workflow_of_the_documentation(live: Live, rest: httpx.Client) -> None:
    session = capture(rest)
    assert rest.post("/v1/agent-context", json={"query": "current project"}).json()["core"] == []
    found = rest.post("/v1/search", json={"query": "picker AND (dialog OR window)", "limit": 3}).json()
    assert "msg_002" in {hit["message"] for hit in found["results"]}
    assert "**" in found["results"][0]["snippet"]
    learned = update(
        rest, kind="preference", title="Testing Strategy", body="User prefers table-driven tests in Go",
        evidence=[{"session": "current", "message": "msg_002"}, {"session": "never-captured"}],
    )  # fmt: skip
    tasks = rest.post("/v1/tasks", json={"op": "list"}).json()["tasks"]
    assert [(t["id"], t["pending"]) for t in tasks if t["kind"] == "summarize"] == [(f"summarize-{session}", 2)]
    summary = update(
        rest, kind="summary", session="current", title="Implemented the folder picker",
        body="**Goal**: a folder picker.\n**Completed**: it works.\n**Next**: tests.", covered=["msg_001", "msg_002"],
    )  # fmt: skip
    assert not [t for t in rest.post("/v1/tasks", json={"op": "list"}).json()["tasks"] if t["kind"] == "summarize"]
    live.indexed()
    context = rest.post("/v1/agent-context", json={}).json()
    assert [(m["id"], m["evidence"]) for m in context["core"]] == [
        (learned["id"], [{"session": session, "message": "msg_002"}, {"session": "never-captured"}])
    ]
    assert [s["session"] for s in context["related"]] == [session]
    recalled = rest.post("/v1/context-recall", json={"query": "is the folder picker done"}).json()["memories"]
    assert summary["id"] in [m["memory_id"] for m in recalled]


def test_an_update_replaces_and_a_stale_parent_does_nothing(rest: httpx.Client) -> None:
    made = update(rest, kind="preference", title="Style", body="Tabs", tags=["style"], author="claude")
    changed = update(rest, id=made["id"], parents=[made["revision"]], kind="preference", title="Style", body="Blanks")
    assert changed["created"] is False
    detail = rest.get(f"/v1/memories/{made['id']}").json()
    assert (detail["context"], detail["tags"], detail["author"]) == ("Blanks", [], "claude")
    body = {"id": made["id"], "parents": [made["revision"]], "kind": "preference", "title": "t", "body": "b"}
    stale = rest.post("/v1/memory-update", json=body)
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "CONFLICT")
    unknown = rest.post(
        "/v1/memory-update", json={"id": "mem_unknown", "kind": "preference", "title": "t", "body": "b"}
    )
    assert unknown.status_code == 404


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("2026-03-14", 1),
        ("OC-41252", 1),
        ("C++", 1),
        ("用户", 1),
        ("身份验证", 1),
        ('"native dialogs', 0),
        ("NOT", 0),
        ("(", 0),
        ("*", 0),
    ],
)
def test_no_query_is_an_error(rest: httpx.Client, query: str, found: int) -> None:
    capture(
        rest,
        talk=[("a", "user", "Release OC-41252 in C++ moved to 2026-03-14"), ("b", "user", "用户身份验证失败需要处理")],
    )
    answer = rest.post("/v1/search", json={"query": query})
    assert answer.status_code == 200, answer.text
    assert answer.json()["total"] == found


def test_nobody_searches_anothers_sessions(live: Live, rest: httpx.Client) -> None:
    session = capture(rest)
    with live.rest() as other:
        for query in ("picker", "picker) OR (picker", 'scope:"u1" OR picker', "title:picker OR scope:u*"):
            assert other.post("/v1/search", json={"query": query}).json()["total"] == 0, query
        for path in (f"/v1/sessions/{session}", f"/v1/sessions/{session}/links", "/v1/sessions/native-1"):
            assert other.get(path).status_code == 404
        assert other.delete(f"/v1/sessions/{session}").status_code == 404


def test_the_core_stays_within_its_budget(rest: httpx.Client) -> None:
    kept = [update(rest, kind="preference", title=f"short {n}", body="words " * 100)["id"] for n in range(3)]
    update(rest, kind="preference", title="endless", body="words " * 20_000)
    for query in ({}, {"query": "endless words"}):
        context = rest.post("/v1/agent-context", json=query).json()
        assert {memory["id"] for memory in context["core"]} == set(kept)
        assert context["core_omitted"] == 1
        assert len(json.dumps(context)) <= 8_000 * 3


def test_a_session_is_read_page_by_page(rest: httpx.Client) -> None:
    session = capture(rest, talk=[(f"m{n}", "user", f"message {n} " + "words " * 400) for n in range(60)])
    seen, offset = [], 0
    while offset is not None:
        page = rest.get(f"/v1/sessions/{session}", params={"offset": offset, "limit": 50}).json()
        assert len(httpx.Response(200, json=page).content) <= 20_000 * 3
        seen += [message["id"] for message in page["messages"]]
        offset = page.get("next_offset")
    assert seen == [f"m{n}" for n in range(60)]
    assert (
        rest.get(f"/v1/sessions/{session}", params={"message": "m41", "limit": 1}).json()["messages"][0]["id"] == "m41"
    )


def test_a_long_message_comes_whole_when_it_is_asked_for_alone(rest: httpx.Client) -> None:
    long = "word " * 20_000
    session = capture(rest, talk=[("m0", "user", "short"), ("m1", "tool", long), ("m2", "user", "after")])
    page = rest.get(f"/v1/sessions/{session}").json()
    assert [message.get("content_truncated", False) for message in page["messages"]] == [False, True, False]
    assert page["messages"][1]["content_length"] == len(long)
    alone = rest.get(f"/v1/sessions/{session}", params={"message": "m1", "limit": 1}).json()["messages"]
    assert [message["content"] for message in alone] == [long]


def test_two_agents_may_have_one_native_id(live: Live) -> None:
    user = "two-agents"
    with live.rest(live.key(user, "claude")) as claude, live.rest(live.key(user, "codex")) as codex:
        first = capture(claude, "same")
        answer = codex.put("/v1/sessions/same", json={"messages": [], "complete": True}).json()
        assert (answer["created"], answer["removed"]) == (True, 0)
        other = codex.put(f"/v1/sessions/{first}", json={"title": "By its id"}).json()  # whoever calls
        assert (other["session"], other["created"]) == (first, False)
        assert claude.get("/v1/sessions/same").json()["session"] | {"updated": ""} == {
            "id": first, "agent": "claude", "native_id": "same", "title": "By its id", "message_count": 2, "updated": "",
            "created": claude.get(f"/v1/sessions/{first}").json()["session"]["created"],
        }  # fmt: skip
        assert codex.get("/v1/sessions/same").json()["session"]["message_count"] == 0


def test_what_is_left_out_stays(rest: httpx.Client) -> None:
    at = "2026-05-29T10:00:00Z"
    message = {"id": "m", "role": "user", "content": "one", "timestamp": at}
    rest.put("/v1/sessions/s", json={"messages": [message], "updated": "2026-05-29T12:00:00Z"})
    assert rest.get("/v1/sessions/s").json()["session"]["updated"] == "2026-05-29T12:00:00Z"
    assert rest.put("/v1/sessions/s", json={"complete": True}).json()["message_count"] == 1
    rest.put("/v1/sessions/s", json={"messages": [{"id": "m", "role": "user", "content": "two"}]})
    rest.post("/v1/sessions/s/messages", json={"messages": [{"id": "m", "role": "user", "content": "three"}]})
    read = rest.get("/v1/sessions/s").json()["messages"]
    assert [(one["content"], one["timestamp"]) for one in read] == [("three", at)]


def test_a_title_made_of_words_goes_with_them(rest: httpx.Client) -> None:
    talk = [("m1", "user", "a mistaken echidna"), ("m2", "assistant", "sure"), ("m3", "user", "the platypus")]
    session = capture(rest, "s", talk)
    assert rest.get("/v1/sessions/s").json()["session"]["title"] == "a mistaken echidna"
    rest.post(f"/v1/sessions/{session}/messages", json={"messages": [], "withdrawn": ["m1"]})
    assert rest.get("/v1/sessions/s").json()["session"]["title"] == "the platypus"
    assert rest.post("/v1/search", json={"query": "echidna"}).json()["total"] == 0
    rest.put("/v1/sessions/s", json={"messages": [{"id": "m3", "role": "user", "content": "the wombat"}]})
    assert rest.get("/v1/sessions", params={"query": "wombat"}).json()["items"][0]["title"] == "the wombat"
    rest.put("/v1/sessions/s", json={"title": "Its own"})
    rest.post(f"/v1/sessions/{session}/messages", json={"messages": [], "withdrawn": ["m3"]})
    assert rest.get("/v1/sessions/s").json()["session"]["title"] == "Its own"


def test_a_summary_written_anew_covers_what_has_changed(rest: httpx.Client) -> None:
    session = capture(rest)
    covered = {"kind": "summary", "title": "t", "session": session, "covered": ["msg_001", "msg_002"]}
    summary = update(rest, body="first", **covered)["id"]

    def waiting() -> list[int]:
        tasks = rest.post("/v1/tasks", json={"op": "list"}).json()["tasks"]
        return [task["pending"] for task in tasks if task["kind"] == "summarize"]

    assert waiting() == []
    capture(rest, talk=[TALK[0], ("msg_002", "assistant", "It is implemented otherwise")])
    assert waiting() == [1]
    update(rest, id=summary, body="second", kind="summary", title="t")
    assert waiting() == [1]  # it does not say that it covers the change
    update(rest, id=summary, body="third", **covered)
    assert waiting() == []


def test_erasing_a_session_frees_the_keys_of_its_links(rest: httpx.Client) -> None:
    capture(rest, "one"), capture(rest, "two")
    link, key = {"from": "one", "to": "two", "kind": "branch"}, {"idempotency-key": "k"}
    assert rest.post("/v1/session-links", json=link, headers=key).status_code == 200
    rest.delete("/v1/sessions/two")
    again = rest.post("/v1/session-links", json=link, headers=key)
    assert again.status_code == 404


def test_a_claim_is_won_by_one(rest: httpx.Client) -> None:
    session = capture(rest)

    def claim(number: int) -> int:
        body = {"op": "claim", "id": f"summarize-{session}", "owner": f"agent-{number}"}
        return rest.post("/v1/tasks", json=body).status_code

    with ThreadPoolExecutor(16) as pool:
        assert sorted(pool.map(claim, range(16))) == [200] + [409] * 15
    assert rest.post("/v1/tasks", json={"op": "claim", "id": "summarize-nothing"}).status_code == 404
    unknown = rest.post("/v1/tasks", json={"op": "steal"})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (422, "INVALID_PARAMS")


def test_scopes_by_branch(live: Live) -> None:
    with live.rest(live.key(scopes=["task:read", "memory:read"])) as client:
        assert client.post("/v1/tasks", json={"op": "list"}).status_code == 200
        assert client.post("/v1/tasks", json={"op": "claim", "id": "index"}).status_code == 403
        assert client.post("/v1/search", json={"query": "x", "kind": "memory"}).status_code == 200
        assert client.post("/v1/search", json={"query": "x", "kind": "session"}).status_code == 403
        assert client.post("/v1/search", json={"query": "x"}).status_code == 403


def test_the_key_of_a_batch_makes_its_writes_happen_once(rest: httpx.Client) -> None:
    memories = [{"kind": "knowledge", "title": f"t{n}", "body": "zebra fact"} for n in range(3)]
    memories[2]["operation_key"] = "its-own"
    calls = [{"name": "memvault_memory_update", "arguments": memory} for memory in memories]
    first, again = (
        rest.post("/v1/batch", json={"calls": calls}, headers={"idempotency-key": "k" * 128}).json()["results"]
        for _ in range(2)
    )
    assert len({one["result"]["id"] for one in first}) == 3
    assert [(one["result"]["id"], one["result"]["replayed"]) for one in again] == [
        (one["result"]["id"], True) for one in first
    ]
    assert rest.post("/v1/search", json={"query": "zebra"}).json()["total"] == 3
    memories[1]["title"] = "another"
    other = rest.post("/v1/batch", json={"calls": calls}, headers={"idempotency-key": "k" * 128}).json()["results"]
    assert [one.get("error", {}).get("code") for one in other] == [None, "CONFLICT", None]


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_a_batch_and_its_raw_form(live: Live, era: str) -> None:
    calls = [
        {"name": "memvault_memory_update", "arguments": {"kind": "knowledge", "title": "zebra", "body": "zebra fact"}},
        {"name": "memvault_search", "arguments": {"query": "zebra"}},
        {"name": "get_memory_detail", "arguments": {"memory_id": "mem_unknown"}},
        {"name": "memvault_batch", "arguments": {"calls": []}},
    ]
    async with live.mcp(era) as client:
        result = await client.call_tool("memvault_batch", {"calls": calls})
    assert result.structured_content is not None
    made, found, missing, nested = result.structured_content["results"]
    assert found["result"]["results"][0]["memory"] == made["result"]["id"]
    assert (missing["error"]["code"], nested["error"]["code"]) == ("NOT_FOUND", "NOT_FOUND")
    assert "put its calls into this one's" in nested["error"]["message"]
    headers = {"authorization": f"Bearer {live.key()}", "accept": "application/json, text/event-stream"}
    call = {"name": "memvault_context", "arguments": {"query": "project background"}}
    raw = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"batch": [call]}}
    answer = httpx.post(live.url + "/mcp", json=raw, headers=headers).json()
    assert answer["result"]["structuredContent"]["results"][0]["result"] == {"core": [], "related": []}
    raw["params"] = {"batch": [calls[0]], "operation_key": "once"}
    made = [httpx.post(live.url + "/mcp", json=raw, headers=headers).json()["result"] for _ in range(2)]
    first, again = (one["structuredContent"]["results"][0]["result"] for one in made)
    assert (again["id"], again["replayed"]) == (first["id"], True)
