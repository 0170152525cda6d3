"""Personas: one set for all users. Three are there from the start; they can be changed and deleted like any other."""

from __future__ import annotations

import json
from datetime import datetime
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import bindparam, delete, select

from .clock import from_text, now, to_text
from .prepared import Driver, Prepared, Row, upsert
from .records import PersonaRecord
from .tables import TABLES

if TYPE_CHECKING:
    from .embedding import FloatArray
    from .unit import Unit

personas = TABLES["personas"]
p = personas.c
ALL = Prepared(select(personas).order_by(p.name))
ONE = Prepared(select(personas).where(p.name == bindparam("name")))
TEXTS = ("definition", "communication_style", "behavioral_guidelines")
PUT = upsert(personas, *TEXTS, "updated")
DELETE = Prepared(delete(personas).where(p.name == bindparam("name")))


class Personas:
    """All personas."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    def get(self, name: str) -> PersonaRecord | None:
        """The persona of that name."""
        row = ONE.one(self._unit.driver, name=name)
        return None if row is None else _record(row)

    def put(
        self,
        name: str,
        definition: str,
        communication_style: str,
        behavioral_guidelines: str,
        at: datetime | None = None,
    ) -> PersonaRecord:
        """Make or replace a persona."""
        PUT.do(
            self._unit.driver, name=name, definition=definition, communication_style=communication_style,
            behavioral_guidelines=behavioral_guidelines, built_in=False, updated=to_text(at or now()),
        )  # fmt: skip
        made = self.get(name)
        assert made is not None
        return made

    def delete(self, name: str) -> bool:
        """Remove a persona; False where there is none of that name."""
        return DELETE.do(self._unit.driver, name=name) == 1

    def nearest(self, vector: FloatArray) -> list[tuple[str, float]]:
        """Each persona's name with the cosine of its definition to a query's vector, nearest first."""
        near = [
            (persona.name, round(float(np.dot(vector, self._unit.store.embedder.kept(persona.definition))), 6))
            for persona in self.list()
        ]
        return sorted(near, key=lambda pair: (-pair[1], pair[0]))

    def list(self) -> list[PersonaRecord]:
        """All, by name."""
        return every(self._unit.driver)


def every(driver: Driver) -> list[PersonaRecord]:
    """All personas, by name."""
    return [_record(row) for row in ALL.all(driver)]


def shipped() -> dict[str, tuple[str, str, str]]:
    """Of each persona that is there from the start: definition, communication style and guidelines."""
    data = resources.files("tallystick.store") / "data" / "personas.json"
    rows = json.loads(data.read_text(encoding="utf-8"))
    return {row["name"]: tuple(row[name] for name in TEXTS) for row in rows}


def _record(row: Row) -> PersonaRecord:
    return PersonaRecord(row[0], row[1], row[2], row[3], row[4] == 1, from_text(row[5]))
