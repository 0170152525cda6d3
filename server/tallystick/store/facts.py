"""The facts document: one JSON object a user. Merging and its size limit are the handler's business."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, select

from .clock import from_text, now, to_text
from .prepared import Prepared, upsert
from .tables import TABLES

if TYPE_CHECKING:
    from .unit import Unit

facts = TABLES["facts"]
GET = Prepared(select(facts.c.document).where(facts.c.owner == bindparam("owner")))
UPDATED = Prepared(select(facts.c.updated).where(facts.c.owner == bindparam("owner")))
PUT = upsert(facts, "document", "updated")
DELETE = Prepared(delete(facts).where(facts.c.owner == bindparam("owner")))


class Facts:
    """The owner's facts document. No search ever reads it."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    def get(self) -> dict[str, Any]:
        """The document; empty where nothing was ever put."""
        text = GET.value(self._unit.driver, owner=self._unit.owner)
        document: dict[str, Any] = {} if text is None else json.loads(text)
        return document

    def updated(self) -> datetime | None:
        """When it was last put; None where it never was."""
        at = UPDATED.value(self._unit.driver, owner=self._unit.owner)
        return None if at is None else from_text(at)

    def put(self, document: Mapping[str, Any], at: datetime | None = None) -> None:
        """Replace the document whole."""
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        PUT.do(self._unit.driver, owner=self._unit.owner, document=text, updated=to_text(at or now()))
