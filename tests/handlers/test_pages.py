"""Cursors and budgets: every row once, nothing shortened, nothing guessed."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from tallystick.store import MemoryDraft

from tests.live import Live, store


def tied(live: Live, user: str, count: int, when: datetime) -> list[str]:
    """`count` memories of one user, all created at one instant."""
    with live.store.write(0) as unit:
        owner = unit.users.ensure(user)
    with live.store.write(owner) as unit:
        return [
            unit.memories.create(
                MemoryDraft(
                    kind="summary", title=f"tied {n}", summary=f"tied {n}", body="same time", agent="a", created=when
                )
            ).id
            for n in range(count)
        ]


def pages(client: httpx.Client, body: dict[str, Any]) -> list[dict[str, Any]]:
    """All pages of a recall, by following next_cursor."""
    found, cursor = [], None
    while True:
        answer = client.post("/v1/memory-recall", json=body | ({"cursor": cursor} if cursor else {}))
        assert answer.status_code == 200, answer.text
        found.append(answer.json())
        cursor = found[-1].get("next_cursor")
        if cursor is None:
            return found


def test_rows_of_one_instant_come_once_each(live: Live) -> None:
    when = datetime(2026, 1, 1, tzinfo=UTC)
    ids = tied(live, "tied-rows", 25, when)
    with live.rest(live.key("tied-rows")) as client:
        first = client.post("/v1/memory-recall", json={"limit": 10}).json()
        tied(live, "tied-rows", 3, when)  # written between two pages
        seen = [item["id"] for item in first["items"]]
        cursor = first["next_cursor"]
        while cursor:
            page = client.post("/v1/memory-recall", json={"limit": 7, "cursor": cursor}).json()
            seen += [item["id"] for item in page["items"]]
            cursor = page.get("next_cursor")
        assert len(seen) == len(set(seen))
        assert set(ids) <= set(seen)
        listed, cursor = [], ""
        while cursor is not None:
            page = client.get("/v1/memories", params={"limit": 9} | ({"cursor": cursor} if cursor else {})).json()
            listed += [item["id"] for item in page["items"]]
            cursor = page.get("next_cursor")
        assert len(listed) == len(set(listed)) == 28


def test_a_damaged_or_foreign_cursor_is_never_page_one(live: Live, rest: httpx.Client) -> None:
    ids = [store(rest, f"page {n}", tags=["paged"]) for n in range(4)]
    body = {"limit": 2, "tags": ["paged"]}
    good = rest.post("/v1/memory-recall", json=body).json()["next_cursor"]
    bad = [good + "!", good[:-1], good[: len(good) // 2], "", "AAAA", good[::-1], good.swapcase(), good + "=", "ü"]
    bad += [good[:n] + ("A" if good[n] != "A" else "B") + good[n + 1 :] for n in range(0, len(good), 7)]
    for cursor in bad:
        answer = rest.post("/v1/memory-recall", json=body | {"cursor": cursor})
        assert answer.status_code == 400, cursor
        assert answer.json()["error"]["code"] == "INVALID_CURSOR"
    for other in ({"tags": ["other"]}, {"status": "all"}, {"query": "page"}):
        answer = rest.post("/v1/memory-recall", json=body | other | {"cursor": good})
        assert answer.json()["error"]["code"] == "INVALID_CURSOR", other
    with live.rest() as stranger:
        assert stranger.post("/v1/memory-recall", json=body | {"cursor": good}).status_code == 400
    assert rest.get("/v1/memories", params={"cursor": good}).status_code == 400
    rest.delete(f"/v1/memories/{ids[2]}")  # the row the cursor stands on
    rest_of_it = rest.post("/v1/memory-recall", json=body | {"cursor": good, "limit": 50, "detail": "metadata"}).json()
    assert [item["id"] for item in rest_of_it["items"]] == [ids[1], ids[0]]


@pytest.mark.parametrize("character", ["身", "😀", "a"])
def test_the_whole_answer_fits_the_budget(rest: httpx.Client, character: str) -> None:
    texts = {store(rest, f"{character * 300}{n}"): f"{character * 300}{n}" for n in range(10)}
    body = {"detail": "full", "max_tokens": 700, "limit": 50}
    answers = pages(rest, body)
    assert len(answers) > 1 or character == "a"
    bodies: dict[str, str] = {}
    for answer in answers:
        assert len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()) <= 700 * 3
        bodies |= {item["id"]: item["body"] for item in answer["items"]}
        assert answer["truncated"] is ("next_cursor" in answer)
    assert bodies == texts


def test_a_note_that_does_not_fit_is_not_cut(rest: httpx.Client) -> None:
    text = "身" * 2000
    store(rest, text)
    answer = rest.post("/v1/memory-recall", json={"detail": "full", "max_tokens": 128})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "BUDGET_TOO_SMALL")
    needed = int("".join(c for c in error["message"] if c.isdigit()))
    assert str(needed) in error["next_action"]
    again = rest.post("/v1/memory-recall", json={"detail": "full", "max_tokens": needed}).json()
    assert again["items"][0]["body"] == text
    assert rest.post("/v1/memory-recall", json={"detail": "full", "max_tokens": needed - 1}).status_code == 400


def test_paging_never_sticks_on_a_huge_note(rest: httpx.Client) -> None:
    small = store(rest, "small")
    huge = store(rest, "x" * 60_000)
    found = [
        item for answer in pages(rest, {"detail": "full", "max_tokens": 16384, "limit": 1}) for item in answer["items"]
    ]
    assert [item["id"] for item in found] == [huge, small]
    assert found[0]["body_omitted"] is True
    assert found[0]["body_tokens"] > 16384
    assert "body" not in found[0]
    assert rest.get(f"/v1/memories/{huge}").json()["context"] == "x" * 60_000


def test_detail(rest: httpx.Client) -> None:
    long, short = store(rest, "word " * 200), store(rest, "short")
    by_id = {i["id"]: i for i in rest.post("/v1/memory-recall", json={}).json()["items"]}
    assert by_id[short]["preview"] == "short"
    assert by_id[short]["preview_truncated"] is False
    assert len(by_id[long]["preview"]) <= 400
    assert by_id[long]["preview_truncated"] is True
    for item in rest.post("/v1/memory-recall", json={"detail": "metadata"}).json()["items"]:
        assert not {"preview", "body"} & item.keys()


def test_a_cursor_tells_nothing_of_the_query(rest: httpx.Client) -> None:
    for n in range(2):
        store(rest, f"confidential {n}")
    cursor = rest.post("/v1/memory-recall", json={"query": "confidential", "limit": 1}).json()["next_cursor"]
    assert b"confidential" not in base64.urlsafe_b64decode(cursor + "==")
