"""Cursors of the paged lists, bound to what was asked and by whom."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tallystick_contract.errors import Code

from ..context import Context
from ..problem import Problem
from ..recall.cursor import CursorInvalid, Position, seal, unseal

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)  # the time in the position of what is paged by name


class Pages:
    """The cursors of one call.

    Args:
        context: the call; the caller, user and agent, is part of what a cursor holds for.
        operation: the list's name.
        asked: the filters a cursor holds for; limit, detail and max_tokens may change between pages.
    """

    def __init__(self, context: Context, operation: str, asked: Mapping[str, Any]) -> None:
        self._key = context.unit.store.cursor_key
        self._bound = {**asked, "operation": operation, "owner": context.caller.owner, "agent": context.caller.agent}

    def after(self, cursor: str | None) -> tuple[datetime, str] | None:
        """The (created, id) a page starts behind; None for the first page.

        Raises:
            Problem: INVALID_CURSOR for anything but a cursor of this very list.
        """
        if cursor is None:
            return None
        try:
            position = unseal(self._key, self._bound, cursor)
        except CursorInvalid:
            raise Problem(Code.INVALID_CURSOR) from None
        return position.created, position.id

    def cursor(self, created: datetime, row_id: str) -> str:
        """The next_cursor of a page whose last row is (created, row_id)."""
        return seal(self._key, self._bound, Position(created, row_id))
