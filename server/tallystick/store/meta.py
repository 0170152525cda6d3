"""Single values of the database."""

from __future__ import annotations

import secrets

from sqlalchemy import bindparam, select

from .prepared import Driver, Prepared, upsert
from .tables import TABLES

meta = TABLES["meta"]
GET = Prepared(select(meta.c.value).where(meta.c.name == bindparam("name")))
PUT = upsert(meta, "value")

CURSOR_KEY = "cursor.key"
GENERATION = "chroma.generation"
MODEL = "embedding.model"
UNCLEAN = "index.unclean"
# The steps that a rebuild which was asked for has still to take, by blanks; empty where none runs. See rebuild.py.
REBUILD = "index.rebuild"
# Another value after each erasing; empty when its text has left the files.
SCRUB = "fulltext.scrub"
SCRUB_MESSAGES = "messages.scrub"
GAPS = "pages.scrub"


def get(driver: Driver, name: str) -> str | None:
    """The value of that name."""
    value: str | None = GET.value(driver, name=name)
    return value


def put(driver: Driver, name: str, value: str) -> None:
    """Set a value."""
    PUT.do(driver, name=name, value=value)


def cursor_key(driver: Driver) -> bytes:
    """The key that signs page cursors: made once, so that a cursor works after a restart."""
    known = get(driver, CURSOR_KEY)
    if known is None:
        known = secrets.token_hex(32)
        put(driver, CURSOR_KEY, known)
    return bytes.fromhex(known)
