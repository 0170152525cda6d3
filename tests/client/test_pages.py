"""iter_ methods ask for the next page when it is needed."""

import itertools

import httpx
import pytest
from tallystick_client import AsyncTallystick, errors

from tests.client.wire import Server, failure


def item(number):
    return {
        "id": f"mem_{number}",
        "revision": "r",
        "title": "t",
        "kind": "summary",
        "tags": [],
        "status": "active",
        "created": "2026-05-29T09:00:00Z",
        "updated": "2026-05-29T09:00:00Z",
    }


def pages():
    return Server(
        {"items": [item(1), item(2)], "next_cursor": "c1", "truncated": False},
        {"items": [], "next_cursor": "c2", "truncated": False},
        {"items": [item(3)], "truncated": False},
    )


def test_all_pages_with_the_same_arguments():
    server = pages()
    found = [memory.id for memory in server.client().memories.iter_recall_memory(query="q", limit=2)]
    assert found == ["mem_1", "mem_2", "mem_3"]
    assert server.bodies == [{"query": "q", "limit": 2} | cursor for cursor in ({}, {"cursor": "c1"}, {"cursor": "c2"})]


def test_the_next_page_is_asked_for_when_it_is_needed():
    server = pages()
    iterator = server.client().memories.iter_recall_memory()
    assert server.requests == []
    assert [memory.id for memory in itertools.islice(iterator, 2)] == ["mem_1", "mem_2"]
    assert len(server.requests) == 1


def test_lists_over_get():
    server = Server({"items": [item(1)], "next_cursor": "a+b/c="}, {"items": []})
    assert len(list(server.client().memories.iter_memories(tags="a,b"))) == 1
    assert [dict(request.url.params) for request in server.requests] == [
        {"tags": "a,b"},
        {"tags": "a,b", "cursor": "a+b/c="},
    ]


def test_an_error_ends_the_iteration():
    server = Server({"items": [item(1)], "next_cursor": "c"}, failure(400, "INVALID_CURSOR"))
    iterator = server.client().memories.iter_memories()
    assert next(iterator).id == "mem_1"
    with pytest.raises(errors.InvalidCursor):
        next(iterator)


@pytest.mark.anyio
async def test_asynchronous_pages():
    server = pages()
    async with AsyncTallystick("http://memory.test", "k", transport=server.transport) as client:
        found = [memory.id async for memory in client.memories.iter_recall_memory(query="q")]
    assert found == ["mem_1", "mem_2", "mem_3"]
    assert isinstance(server.requests[0], httpx.Request)
