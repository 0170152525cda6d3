"""What a call sends, and what becomes of the answer."""

import httpx
import pytest
from tallystick_client import OMIT, AnswerInvalid, Tallystick, models

from tests.client.wire import NOTE, STORED, Server


def test_a_write_sends_key_body_and_nothing_that_was_left_out():
    server = Server(httpx.Response(201, json=STORED))
    answer = server.client(headers={"x-extra": "1"}).memories.store_context(**NOTE, tags=("a", "b"), persona=OMIT)
    (request,) = server.requests
    assert (request.method, request.url.path) == ("POST", "/v1/memories")
    assert server.bodies == [{**NOTE, "tags": ["a", "b"]}]
    assert request.headers["authorization"] == "Bearer tally_key"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["x-extra"] == "1"
    assert request.headers["user-agent"].startswith("tallystick-client/")
    assert answer.memory_id == "mem_1"
    assert answer.replayed is None


def test_null_is_not_absent():
    facts = {"success": True, "user_facts": {}, "bytes": 2, "max_bytes": 4096}
    server = Server(facts)
    server.client().facts.update_user_facts(facts_patch={"family": {"wife": None, "dog": OMIT}, "list": [1, None]})
    assert server.bodies == [{"family": {"wife": None}, "list": [1, None]}]
    assert server.sent("content-type") == ["application/merge-patch+json"]


def test_text_of_every_script_is_sent_as_it_is():
    server = Server(httpx.Response(201, json=STORED))
    server.client().memories.store_context(**{**NOTE, "summary": "★ 🎉 完成 naïve"})
    assert "★ 🎉 完成 naïve".encode() in server.requests[0].content


def test_path_and_query_parameters():
    server = Server({"items": []})
    client = server.client()
    client.memories.list_memories(limit=5, status="all", query="a&b 用户")
    assert dict(server.requests[0].url.params) == {"limit": "5", "status": "all", "query": "a&b 用户"}
    client.memories.list_revisions(memory_id="a/b?c%2e é")
    assert server.requests[1].url.raw_path == b"/v1/memories/a%2Fb%3Fc%252e%20%C3%A9/revisions"


@pytest.mark.parametrize("memory_id", ["", ".", ".."])
def test_a_path_parameter_cannot_turn_a_call_into_another(memory_id):
    server = Server(httpx.Response(200, json={}))
    with pytest.raises(ValueError, match="path"):
        server.client().memories.erase_memory(memory_id=memory_id)
    assert server.requests == []


def test_a_path_below_a_prefix():
    server = Server({"items": []})
    Tallystick("https://host.test/memory/", "k", transport=server.transport).memories.list_memories()
    assert str(server.requests[0].url) == "https://host.test/memory/v1/memories"


def test_what_json_cannot_hold_is_refused_before_anything_is_sent():
    server = Server(httpx.Response(200, json={}))
    with pytest.raises(ValueError, match="JSON"):
        server.client().facts.update_user_facts(facts_patch={"a": float("nan")})
    assert server.requests == []


def test_properties_of_a_later_server_are_ignored():
    server = Server({"items": [], "next_cursor": None, "invented_later": 1})
    assert server.client().memories.list_memories().items == []
    assert "invented_later" not in models.ListMemoriesResponse(items=[], invented_later=1).model_dump()


@pytest.mark.parametrize("content", [b"", b"<html>", b"[]", b'{"items": 1}'])
def test_an_answer_of_something_else_is_said_to_be_one(content):
    server = Server(httpx.Response(200, content=content, headers={"x-request-id": "req_1"}))
    with pytest.raises(AnswerInvalid, match=r"GET /v1/memories: no ListMemoriesResponse") as caught:
        server.client().memories.list_memories()
    assert caught.value.request_id == "req_1"


def test_text_and_free_json():
    server = Server(httpx.Response(200, text="calls_total 1\n"), httpx.Response(200, json=[{"name": "get_help"}]))
    client = server.client()
    assert client.health.metrics() == "calls_total 1\n"
    assert server.sent("accept") == ["text/plain"]
    assert client.health.get_tools() == [{"name": "get_help"}]


@pytest.mark.parametrize("key", ["", "ts_abc\n", "Bearer ts_abc", "ts_ключ"])
def test_what_is_no_key_is_refused_and_not_shown(key):
    with pytest.raises(ValueError, match="The API key") as refused:
        Tallystick("http://127.0.0.1:1", key)
    assert "abc" not in str(refused.value)


def test_the_key_is_not_shown():
    client = Server({}).client()
    assert "tally_key" not in repr(vars(client)) + repr(client)
