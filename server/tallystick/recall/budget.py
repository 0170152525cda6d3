"""Token budgets: as many whole items as fit, and never a shortened one.

A token is estimated as three UTF-8 bytes of the compact JSON response, since counting characters under-counts CJK and
emoji two- to six-fold. What is counted is the whole response: items, envelope, next_cursor and truncated.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

BYTES_PER_TOKEN = 3
MAX_TOKENS = 16384
"""The largest budget a caller may name; what needs more comes without its body, so that paging never sticks."""

Item = dict[str, Any]

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class BudgetTooSmall(Exception):
    """Not even the first item fits; `needed` is the max_tokens that would do, at most MAX_TOKENS."""

    def __init__(self, needed: int) -> None:
        super().__init__(f"the first item needs max_tokens {needed}")
        self.needed = needed


@dataclass(frozen=True, slots=True)
class Page:
    """What to answer. `response` is the whole of it, `tokens` what it weighs, `used` how many items it holds."""

    response: dict[str, Any]
    used: int
    truncated: bool
    tokens: int


def tokens(response: object) -> int:
    """The estimated tokens of a JSON value: ceil(UTF-8 bytes of its compact JSON / 3)."""
    return _tokens(_size(response))


def fit(
    items: Sequence[Item],
    max_tokens: int,
    *,
    more: bool,
    cursor: Callable[[int], str],
    envelope: Mapping[str, Any] | None = None,
    body: str = "body",
) -> Page:
    """As many of `items`, in order and whole, as a response of `max_tokens` holds.

    `items` are the candidates of one page, at most `limit` of them. `more` says whether there are further ones behind.
    `cursor(n)` makes the next_cursor of a page that holds the first n items. `envelope` are further properties of the
    response. `truncated` is true when max_tokens, not limit, ended the page.

    An item whose page alone would need more than MAX_TOKENS comes with `body_omitted: true` and `body_tokens` in place
    of its property `body`. Raises BudgetTooSmall if not even the first item fits.
    """
    page = list(items)
    sizes = [_size(item) for item in page]

    def weighed(used: int) -> Page:
        truncated = used < len(page)
        response: dict[str, Any] = {**(envelope or {}), "items": []}
        if used and (truncated or more):
            response["next_cursor"] = cursor(used)
        response["truncated"] = truncated
        size = _size(response) + sum(sizes[:used]) + max(used - 1, 0)  # each item is measured once; commas between them
        return Page({**response, "items": page[:used]}, used, truncated, _tokens(size))

    if page and body in page[0] and weighed(1).tokens > MAX_TOKENS:
        page[0] = omit_body(page[0], body)
        sizes[0] = _size(page[0])
    allowed = max_tokens * BYTES_PER_TOKEN
    for used in range(len(page), 0, -1):
        # The frame only adds to this, so most lengths that are too long are ruled out without signing a cursor.
        if sum(sizes[:used]) <= allowed and (fitting := weighed(used)).tokens <= max_tokens:
            return fitting
    if page:
        raise BudgetTooSmall(weighed(1).tokens)
    return weighed(0)


def omit_body(item: Item, body: str = "body") -> Item:
    """`item` without its body, which is never shortened: told that it was left out, and how many tokens it weighs."""
    kept = {name: value for name, value in item.items() if name != body}
    return {**kept, "body_omitted": True, "body_tokens": tokens(item[body])}


def _size(value: object) -> int:
    return len(_encode(value).encode())


def _tokens(size: int) -> int:
    return -(-size // BYTES_PER_TOKEN)
