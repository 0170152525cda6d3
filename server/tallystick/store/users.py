"""Users: a name outside, a number inside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select

from .clock import now, to_text
from .prepared import Prepared, inserting
from .tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

users = TABLES["users"]
ADD = inserting(users, "id")
BY_NAME = Prepared(select(users.c.id).where(users.c.name == bindparam("name")))


class Users:
    """All users."""

    def __init__(self, unit: Unit) -> None:
        self._driver = unit.driver

    def find(self, name: str) -> int | None:
        """The number of the user of that name."""
        number: int | None = BY_NAME.value(self._driver, name=name)
        return number

    def ensure(self, name: str) -> int:
        """The number of the user of that name, who is made if new (in a writing unit)."""
        number = self.find(name)
        if number is None:
            ADD.do(self._driver, name=name, created=to_text(now()))
            number = self.find(name)
            assert number is not None
        return number
