"""The asynchronous client is the synchronous one with `await`."""

import inspect

import httpx
import pytest
import tallystick_client
from tallystick_client import AsyncTallystick, Tallystick, errors

from tests.client.wire import NOTE, STORED, Server, failure


def groups(client: object) -> dict[str, object]:
    return {name: value for name, value in vars(client).items() if not name.startswith("_")}


def public(thing: object) -> list[str]:
    return sorted(name for name in dir(thing) if not name.startswith("_"))


def test_same_groups_methods_and_arguments():
    here, there = Tallystick("http://a.test", "k"), AsyncTallystick("http://a.test", "k")
    assert list(groups(here)) == list(groups(there))
    for name, group in groups(here).items():
        other = groups(there)[name]
        assert public(group) == public(other)
        for method in public(group):
            one, two = (inspect.signature(getattr(which, method)) for which in (group, other))
            assert one.parameters == two.parameters
            if not method.startswith("iter_"):
                assert one.return_annotation == two.return_annotation
                assert inspect.iscoroutinefunction(getattr(other, method))


@pytest.mark.anyio
async def test_calls_retries_and_one_key(pauses):
    server = Server(failure(503, "STORE_BUSY"), httpx.ConnectError("x"), httpx.Response(201, json=STORED))
    async with AsyncTallystick("http://memory.test", "k", transport=server.transport) as client:
        answer = await client.memories.store_context(**NOTE)
    assert answer.memory_id == "mem_1"
    assert len(set(server.sent("idempotency-key"))) == 1
    assert len(pauses) == 2


@pytest.mark.anyio
async def test_errors():
    server = Server(failure(404, "NOT_FOUND"))
    async with AsyncTallystick("http://memory.test", "k", transport=server.transport) as client:
        with pytest.raises(errors.NotFound):
            await client.with_options(timeout=1).memories.get_memory_detail(memory_id="mem_x")


@pytest.mark.anyio
async def test_blocks_close_the_connections():
    server = Server({"items": []})
    async with AsyncTallystick("http://memory.test", "k", transport=server.transport) as client:
        await client.memories.list_memories()
    with pytest.raises(RuntimeError, match="closed"):
        await client.memories.list_memories()
    with server.client() as closed:
        closed.memories.list_memories()
    with pytest.raises(RuntimeError, match="closed"):
        closed.memories.list_memories()


def test_public_names():
    errors_and_values = ["AnswerInvalid", "ApiError", "ConnectionFailed", "OMIT", "Omitted", "TallystickError"]
    assert sorted(tallystick_client.__all__) == sorted(
        ["AsyncTallystick", "Tallystick", *errors_and_values, "errors", "models"]
    )
    assert all(hasattr(tallystick_client, name) for name in tallystick_client.__all__)
