"""Agent keys. A token is `tsk_<id>_<secret>`; the store keeps the id and the hash of the secret, never the secret."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select, update

from .clock import from_text, now, to_text
from .prepared import Prepared, Row, inserting
from .records import KeyRecord
from .tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

keys, users = TABLES["keys"], TABLES["users"]
_COLUMNS = select(
    keys.c.id,
    users.c.name,
    keys.c.owner,
    keys.c.agent,
    keys.c.scopes,
    keys.c.created,
    keys.c.revoked,
    keys.c.secret_hash,
).select_from(keys.join(users, keys.c.owner == users.c.id))
BY_ID = Prepared(_COLUMNS.where(keys.c.id == bindparam("id")))
ALL = Prepared(_COLUMNS.order_by(keys.c.created, keys.c.id))
ADD = inserting(keys)
REVOKE = Prepared(
    update(keys).where(keys.c.id == bindparam("key_id"), keys.c.revoked.is_(None)).values(revoked=bindparam("at"))
)


class Keys:
    """Agent keys of all users."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    def create(self, user: str, agent: str, scopes: Iterable[str], at: datetime | None = None) -> tuple[KeyRecord, str]:
        """Make a key; the user is made too if new.

        Returns:
            The key's record, and the token: the only time it is ever seen.
        """
        owner = self._unit.users.ensure(user)
        key_id, secret = secrets.token_hex(6), secrets.token_hex(24)
        ADD.do(
            self._unit.driver, id=key_id, owner=owner, agent=agent, scopes=json.dumps(sorted(set(scopes))),
            secret_hash=_hash(secret), created=to_text(at or now()), revoked=None,
        )  # fmt: skip
        made = self.get(key_id)
        assert made is not None
        return made, f"tsk_{key_id}_{secret}"

    def get(self, key_id: str) -> KeyRecord | None:
        """The key of that id, revoked or not."""
        row = BY_ID.one(self._unit.driver, id=key_id)
        return None if row is None else _record(row)

    def find(self, token: str) -> KeyRecord | None:
        """The key a token belongs to; None where it is unknown, wrong or revoked."""
        parts = token.split("_")
        if len(parts) != 3 or parts[0] != "tsk":
            return None
        row = BY_ID.one(self._unit.driver, id=parts[1])
        given = _hash(parts[2])
        if row is None or not hmac.compare_digest(given, row[7]) or row[6] is not None:
            return None
        return _record(row)

    def list(self, user: str | None = None) -> list[KeyRecord]:
        """All keys, oldest first, revoked ones too; of one user where named."""
        return [_record(row) for row in ALL.all(self._unit.driver) if user is None or row[1] == user]

    def revoke(self, key_id: str, at: datetime | None = None) -> bool:
        """Make a key useless. False where no such working key is."""
        return REVOKE.do(self._unit.driver, key_id=key_id, at=to_text(at or now())) == 1


def _hash(secret: str) -> str:
    # A plain hash is enough for 192 random bits; a slow one would only slow every request.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _record(row: Row) -> KeyRecord:
    revoked = None if row[6] is None else from_text(row[6])
    return KeyRecord(row[0], row[1], row[2], row[3], tuple(json.loads(row[4])), from_text(row[5]), revoked)
