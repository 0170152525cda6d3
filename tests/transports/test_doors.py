"""Who gets in: keys, scopes, hosts, origins, media types, sizes; on every route there is."""

from __future__ import annotations

import json
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from tallystick.transports import access, rest
from tallystick_contract.documents import load_openapi
from tallystick_contract.operations import OPERATIONS, SCOPES, Operation

from tests.live import RUN_TOKEN, Live, store

PUBLIC = {"/docs", "/health/live", "/health/ready", "/openapi.json", "/tools.json"}
ROUTES = [
    pytest.param(method.upper(), path, id=f"{method} {path}")
    for path, item in load_openapi()["paths"].items()
    for method in item
    if method in ("get", "post", "put", "patch", "delete")
] + [pytest.param(method, "/mcp", id=f"{method} /mcp") for method in ("POST", "GET", "DELETE")]
BODY: dict[str, Any] = {"content": b"{}", "headers": {"content-type": "application/json"}}


def code(answer: httpx.Response) -> str:
    found: str = answer.json()["error"]["code"]
    return found


@pytest.mark.parametrize(
    "authorization", [None, "Bearer", "Bearer nonsense", "Basic dTpw", "Bearer tsk_000000000000_00", "bearer x"]
)
@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_no_route_forgets_the_key(live: Live, method: str, path: str, authorization: str | None) -> None:
    headers = {"content-type": "application/json"} | ({"authorization": authorization} if authorization else {})
    answer = httpx.request(method, live.url + path.replace("{", "").replace("}", ""), headers=headers, content=b"{}")
    if path in PUBLIC:
        assert answer.status_code == 200
        return
    assert answer.status_code == 401
    assert code(answer) == "UNAUTHENTICATED"
    assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_no_way_around_the_key(live: Live, method: str, path: str) -> None:
    if path in PUBLIC:
        return
    plain = path.replace("{", "").replace("}", "")
    for changed in (
        plain + "/",
        plain.replace("/", "//", 1),
        plain.replace("/", "/%2e/", 1),
        plain + "%2f",
        plain.upper(),
    ):
        for verb in {method, "HEAD", "OPTIONS"}:
            answer = httpx.request(
                verb, live.url + changed, headers={"x-http-method-override": "GET"}, follow_redirects=True
            )
            assert answer.status_code in (401, 403, 404, 405), (verb, changed, answer.status_code)


def test_a_revoked_key_opens_nothing(live: Live) -> None:
    with live.rest() as admin:
        made = admin.post("/v1/keys", json={"agent": "lost", "scopes": ["memory:read"]}).json()
        with live.rest(made["key"]) as client:
            assert client.get("/v1/memories").status_code == 200
            assert admin.delete(f"/v1/keys/{made['id']}").status_code == 200
            assert client.get("/v1/memories").status_code == 401
            assert client.post("/mcp", **BODY).status_code == 401
        listed = {key["id"]: key for key in admin.get("/v1/keys", params={"limit": 100}).json()["items"]}
        assert "revoked" in listed[made["id"]]
        assert made["key"] not in admin.get("/v1/keys").text


SCOPED = [pytest.param(o, id=o.name) for o in OPERATIONS if o.scopes]


@pytest.mark.parametrize("operation", SCOPED)
def test_each_operation_needs_its_scope(live: Live, operation: Operation) -> None:
    key = live.key(scopes=[scope for scope in SCOPES if scope not in operation.scopes])
    body = BODY if operation.body else {}
    headers = {"authorization": f"Bearer {key}"} | body.get("headers", {})
    path = operation.path.replace("{", "").replace("}", "")
    answer = httpx.request(operation.method, live.url + path, headers=headers, content=body.get("content"))
    assert answer.status_code == 403
    assert code(answer) == "PERMISSION_DENIED"
    assert operation.scopes[0] in answer.json()["error"]["message"]


def test_users_do_not_see_each_other(live: Live) -> None:
    with live.rest() as ann, live.rest() as bob:
        memory = store(ann, "only for ann", summary="private")
        live.indexed()
        for answer in (
            bob.get(f"/v1/memories/{memory}"),
            bob.patch(f"/v1/memories/{memory}", json={"title": "x"}),
            bob.delete(f"/v1/memories/{memory}"),
            bob.get(f"/v1/memories/{memory}/revisions"),
        ):
            unknown = answer.text.replace(memory, "mem_unknown")
            assert answer.status_code == 404
            assert json.loads(unknown) == bob.get("/v1/memories/mem_unknown").json()
        for route in ("memory-search", "context-recall"):
            assert bob.post(f"/v1/{route}", json={"query": "only for ann private"}).json()["memories"] == []
        assert bob.post("/v1/memory-recall", json={"status": "all"}).json()["items"] == []
        assert bob.get("/v1/memories").json()["items"] == []
        assert ann.get(f"/v1/memories/{memory}").status_code == 200


def test_agents_of_one_user_do(live: Live) -> None:
    with live.rest(live.key("shared", "cursor")) as cursor, live.rest(live.key("shared", "codex")) as codex:
        memory = store(cursor, "seen by both")
        assert codex.get(f"/v1/memories/{memory}").json()["agent"] == "cursor"


@pytest.mark.parametrize("path", ["/v1/memory-recall", "/mcp", "/health/live"])
@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ({"host": "evil.example"}, True),
        ({"host": "evil.example:80"}, True),
        ({"host": "127.0.0.1.evil.example"}, True),
        ({"origin": "https://evil.example"}, True),
        ({"origin": "null"}, True),
        ({"origin": "http://localhost.evil.example"}, True),
        ({"host": "localhost:1"}, False),
        ({}, False),
    ],
    ids=str,
)
def test_foreign_hosts_and_origins(live: Live, path: str, headers: dict[str, str], refused: bool) -> None:
    with live.rest() as client:
        answer = client.request(
            "GET" if "health" in path else "POST",
            path,
            content=b"not even json",
            headers=headers | {"content-type": "application/json"},
        )
    assert (answer.status_code == 403) is refused
    assert "access-control-allow-origin" not in answer.headers
    if refused:
        assert code(answer) == "PERMISSION_DENIED"


def test_allowed_hosts_and_origins(tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("allowed")
    with (
        Live(home, allowed_hosts="mem.internal", allowed_origins="https://page.example") as live,
        live.rest() as client,
    ):
        for headers in ({"host": "mem.internal"}, {"host": "mem.internal:443"}, {"origin": "https://page.example"}):
            assert client.get("/v1/me", headers=headers).status_code == 200
        assert client.get("/v1/me", headers={"host": "evil.example"}).status_code == 403
        asks = {"access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type"}
        preflight = httpx.options(live.url + "/v1/memories", headers=asks | {"origin": "https://page.example"})
        assert preflight.headers["access-control-allow-origin"] == "https://page.example"


def test_a_preflight_gets_no_permission(live: Live) -> None:
    answer = httpx.options(
        live.url + "/v1/memories", headers={"origin": "https://evil.example", "access-control-request-method": "POST"}
    )
    assert answer.status_code == 403


@pytest.mark.parametrize("path", ["/v1/memory-recall", "/mcp"])
@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonx"])
def test_other_media_types(rest: httpx.Client, path: str, media: str) -> None:
    answer = rest.post(path, content=b"{}", headers={"content-type": media})
    assert (answer.status_code, code(answer)) == (415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_charset_does_not_hurt(rest: httpx.Client) -> None:
    assert (
        rest.post(
            "/v1/memory-recall", content=b"{}", headers={"content-type": "Application/JSON; charset=utf-8"}
        ).status_code
        == 200
    )


def test_bodies_over_4_mebibytes(live: Live, rest: httpx.Client) -> None:
    big = b'{"query": "' + b"x" * (4 * 1024 * 1024) + b'"}'
    told = rest.post("/v1/memory-recall", content=big, headers={"content-type": "application/json"})
    chunks = rest.post(
        "/v1/memory-recall", content=iter([big[:1000], big[1000:]]), headers={"content-type": "application/json"}
    )
    for answer in (told, chunks):
        assert (answer.status_code, code(answer)) == (413, "PAYLOAD_TOO_LARGE")
    assert rest.post("/mcp", content=big, headers={"content-type": "application/json"}).status_code == 413


def test_unknown_paths_and_methods(rest: httpx.Client) -> None:
    nothing = rest.get("/v2/memories")
    assert (nothing.status_code, code(nothing)) == (404, "NOT_FOUND")
    wrong = rest.put("/v1/memories", json={})
    assert (wrong.status_code, code(wrong)) == (405, "METHOD_NOT_ALLOWED")
    assert "GET" in wrong.headers["allow"]


def test_health_says_only_its_state(live: Live) -> None:
    assert httpx.get(live.url + "/health/live").json() == {"status": "live"}
    ready = httpx.get(live.url + "/health/ready").json()
    assert ready.keys() == {"status", "index"}


def test_errors_name_their_request(rest: httpx.Client) -> None:
    answer = rest.get("/v1/memories/mem_unknown")
    assert answer.headers["x-request-id"].startswith("req_")
    assert answer.json()["error"].keys() == {"code", "message", "next_action", "help"}


def test_mcp_keeps_no_streams(rest: httpx.Client) -> None:
    for method in ("GET", "DELETE"):
        answer = rest.request(method, "/mcp", headers={"accept": "text/event-stream"})
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_reads_go_on_while_a_write_has_the_store(live: Live, rest: httpx.Client) -> None:
    memory = store(rest, "read meanwhile")
    with ThreadPoolExecutor(12) as pool, live.store.write(0):  # the store is let go first
        writes = [pool.submit(store, rest, f"waits {n}") for n in range(12)]
        for path in ("/health/live", f"/v1/memories/{memory}", "/v1/me"):
            assert rest.get(path, timeout=5).status_code == 200
        recalled = rest.post(
            "/v1/context-recall", json={"query": "x", "conversation_id": "nc-busy-20260529"}, timeout=5
        )
        assert recalled.status_code == 200
        local = httpx.get(f"{live.url}/v1/me", headers={"authorization": f"Bearer {RUN_TOKEN}"}, timeout=5)
        assert local.json()["user"] == "local"
        assert not any(write.done() for write in writes)
    assert all(write.result() for write in writes)


def test_refused_calls_leave_their_line(live: Live) -> None:
    key = live.key("refused", agent="refused-agent", scopes=["facts:read"])
    with live.rest(key) as client:
        client.get("/v1/memories")
        client.patch("/v1/facts", content=b"{", headers={"content-type": "application/json"})
    httpx.get(live.url + "/v1/memories")
    lines = (live.settings.home / "logs" / "mcp.log").read_text("utf-8").splitlines()
    own = [line for line in lines if "agent=refused-agent" in line]
    assert len([line for line in own if "list_memories" in line and "error=PERMISSION_DENIED" in line]) == 1
    assert any("list_memories" in line and "error=UNAUTHENTICATED" in line for line in lines)


def test_encodings_that_are_not_decoded(rest: httpx.Client) -> None:
    for headers in ({"content-encoding": "gzip"}, {"content-type": "application/json; charset=utf-16"}):
        answer = rest.post("/v1/memory-recall", content=b"{}", headers={"content-type": "application/json"} | headers)
        assert (answer.status_code, code(answer)) == (415, "UNSUPPORTED_MEDIA_TYPE")


def test_writing_facts_is_not_reading_them(live: Live) -> None:
    with live.rest(live.key("writer", scopes=["facts:write"])) as writer, live.rest(live.key("writer")) as reader:
        reader.patch("/v1/facts", json={"secret": 1})
        answer = writer.patch("/v1/facts", json={"more": 2}).json()
        assert "user_facts" not in answer
        assert reader.get("/v1/facts").json()["user_facts"] == {"secret": 1, "more": 2}


def test_two_operation_keys_are_none(live: Live) -> None:
    memory = {"summary": "s", "context": "c", "conversation_id": "nc-x-20260529"}
    with live.rest() as client:
        headers = [("idempotency-key", "one"), ("idempotency-key", "two")]
        answer = client.post("/v1/memories", json=memory, headers=headers)
        assert (answer.status_code, code(answer)) == (422, "INVALID_PARAMS")
        assert client.get("/v1/memories").json()["items"] == []


def test_a_body_that_stops_is_given_up(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest, "STALLED", 0.3)
    address = httpx.URL(live.url)
    head = f"Host: {address.host}\r\nAuthorization: Bearer {live.key()}\r\nContent-Type: application/json\r\n"
    for path in ("/v1/memory-recall", "/mcp"):
        with socket.create_connection((address.host, address.port or 80), timeout=10) as connection:
            connection.sendall(f"POST {path} HTTP/1.1\r\n{head}Content-Length: 100\r\n\r\n{{".encode())
            answer = connection.recv(65_536).decode()
        assert " 422 " in answer.partition("\r\n")[0]
        assert "The body stopped after 1 bytes" in answer


def test_calls_do_not_pile_up_behind_a_busy_store(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "WAITING", 6)
    memory = {"summary": "s", "context": "c", "conversation_id": "nc-x-20260529"}
    with live.rest() as client, ThreadPoolExecutor(12) as pool:
        with live.store.write(0):
            calls = [pool.submit(client.post, "/v1/memories", json=memory) for _ in range(12)]
            assert client.post("/v1/memory-recall", json={}).status_code == 200  # reads go on
            while sum(call.done() for call in calls) < 6:
                time.sleep(0.01)
        answers = [call.result() for call in calls]
    assert sorted(answer.status_code for answer in answers) == [201] * 6 + [503] * 6
    busy = next(answer for answer in answers if answer.status_code == 503)
    assert (code(busy), busy.headers["retry-after"]) == ("STORE_BUSY", "1")


def test_the_page_of_the_contract_loads_nothing_from_elsewhere(live: Live) -> None:
    page = httpx.get(f"{live.url}/docs")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.text
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert not [name for name in loaded if "://" in name or name.startswith("//")]
    for name in loaded:
        if not name.startswith("data:"):
            assert httpx.get(f"{live.url}/{name}").status_code == 200, name
    assert httpx.get(f"{live.url}/docs/../settings.py").status_code == 404
    assert httpx.get(f"{live.url}/docs/%2e%2e/settings.py").status_code == 404
    assert code(httpx.post(f"{live.url}/docs")) == "METHOD_NOT_ALLOWED"
