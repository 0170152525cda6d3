"""Token budgets: the whole response counts, items stay whole, paging never sticks."""

import json

import pytest
from tallystick.recall.budget import MAX_TOKENS, BudgetTooSmall, fit, omit_body, tokens

CURSOR = "c" * 74


def note(number, body):
    return {"id": f"mem_{number:026}", "title": "Note", "body": body}


def page_of(items, max_tokens, more=False, **kw):
    return fit(items, max_tokens, more=more, cursor=lambda used: CURSOR[: len(CURSOR) - used % 3], **kw)


def weight(response):
    return len(json.dumps(response, ensure_ascii=False, separators=(",", ":")).encode())


@pytest.mark.parametrize(("value", "expected"), [("", 1), ("ab", 2), ({}, 1), ("用户", 3), ("😀", 2), ({"a": 1}, 3)])
def test_a_token_is_three_bytes_rounded_up(value, expected):
    assert tokens(value) == expected


@pytest.mark.parametrize("body", ["x" * 300, "汉" * 300, "😀" * 300])
@pytest.mark.parametrize("max_tokens", [512, 700, 1024, 4096])
def test_pages_fit_and_reach_all(body, max_tokens):
    items = [note(number, body) for number in range(10)]
    seen, rest = [], items
    while True:
        page = page_of(rest, max_tokens, envelope={"note": "über"})
        assert weight(page.response) <= max_tokens * 3
        assert page.tokens == tokens(page.response) <= max_tokens
        assert all(item["body"] == body for item in page.response["items"])
        assert page.truncated == page.response["truncated"] == (page.used < len(rest))
        assert ("next_cursor" in page.response) == page.truncated
        seen += page.response["items"]
        rest = rest[page.used :]
        if not page.truncated:
            break
    assert seen == items


def test_one_more_item_would_not_fit():
    items = [note(number, "汉" * 50) for number in range(10)]
    page = page_of(items, 512)
    assert 0 < page.used < 10
    longer = {**page.response, "items": items[: page.used + 1]}
    assert weight(longer) > 512 * 3


def test_the_limit_ends_a_page_without_truncated():
    page = page_of([note(1, "short")], 512, more=True)
    assert page.response["truncated"] is False
    assert "next_cursor" in page.response


def test_the_last_page_is_not_measured_with_a_cursor_it_does_not_have():
    items = [note(1, "a"), note(2, "b" * 100)]
    exact = tokens({"items": items, "truncated": False})
    page = page_of(items, exact)
    assert page.used == 2
    assert "next_cursor" not in page.response


def test_no_items_is_an_empty_page():
    page = page_of([], 128)
    assert page.response == {"items": [], "truncated": False}


def test_too_small_names_what_would_do():
    items = [note(1, "汉" * 2000), note(2, "x")]
    with pytest.raises(BudgetTooSmall) as caught:
        page_of(items, 128)
    needed = caught.value.needed
    assert 2000 < needed <= MAX_TOKENS
    assert page_of(items, needed).response["items"][0] == items[0]
    with pytest.raises(BudgetTooSmall):
        page_of(items[:1], needed - CURSOR.count("c"))


def test_a_body_above_every_budget_is_omitted_and_said_so():
    big = note(1, "汉" * 20000)
    page = page_of([big, note(2, "x")], 512)
    first, second = page.response["items"]
    assert first == {"id": big["id"], "title": "Note", "body_omitted": True, "body_tokens": tokens(big["body"])}
    assert first["body_tokens"] == 20001
    assert second["body"] == "x"


def test_a_big_body_further_down_ends_the_page_and_leads_the_next():
    items = [note(1, "x"), note(2, "汉" * 20000), note(3, "y")]
    page = page_of(items, 512)
    assert (page.used, page.truncated) == (1, True)
    after = page_of(items[1:], 512)
    assert [item.get("body_omitted") for item in after.response["items"]] == [True, None]


def test_an_omitted_body_may_still_be_too_much_for_a_small_budget():
    big = {**note(1, "汉" * 20000), "title": "t" * 900}
    with pytest.raises(BudgetTooSmall) as caught:
        page_of([big], 128)
    assert caught.value.needed < 500
    assert page_of([big], caught.value.needed).response["items"][0]["body_omitted"] is True


def test_an_item_without_a_body_is_never_changed():
    huge = {"id": "mem_1", "preview": "x" * 60000}
    with pytest.raises(BudgetTooSmall) as caught:
        page_of([huge], MAX_TOKENS)
    assert caught.value.needed > MAX_TOKENS


def test_omit_body_leaves_its_argument_alone():
    item = note(1, "abc")
    omit_body(item)
    assert item["body"] == "abc"
