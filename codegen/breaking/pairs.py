"""Two contracts side by side: each place of a request or an answer that both have, with its old and its new schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from codegen.breaking.containment import Defs, as_read, covers, same
from codegen.breaking.finding import Found
from codegen.breaking.release import Call, Release
from codegen.ir import Json, Schema
from codegen.resolve import root_of
from codegen.shape import COMBINATORS, CONDITIONS, reachable

CHOICES = (*COMBINATORS, *CONDITIONS, "patternProperties", "prefixItems", "contains")
BESIDE = ("$ref", "default")  # what may stand beside a reference without making it a schema of its own

Direction = Literal["input", "output"]


@dataclass(frozen=True)
class Pair:
    """One place in both contracts; the schemas are resolved at their root.

    `shape` says what was compared further: the properties of an object, the items of an array, or nothing.
    """

    subject: str  # the operation, or the shared schema that holds the place
    file: str
    operation: str
    where: str  # the place within the subject, "" for its root
    old: Schema
    new: Schema
    old_defs: Defs
    new_defs: Defs
    shape: Literal["object", "array", "leaf"]

    def found(self, name: str, text: str) -> Found:
        """Return what a rule says of the property `name` here, or of the place itself where that is ""."""
        at = f"{self.subject}: {dotted(self.where, name)}" if self.where or name else self.subject
        return Found(
            self.subject, self.file, f"{at} {text}", (self.operation,) if self.operation != self.subject else ()
        )

    def old_required(self) -> list[str]:
        return list(self.old.get("required", []))

    def new_required(self) -> list[str]:
        return list(self.new.get("required", []))

    def gone(self) -> list[str]:
        """Return the properties that only the old contract has."""
        return [name for name in self.old["properties"] if name not in self.new["properties"]]

    def added(self) -> list[str]:
        """Return the properties that only the new contract has."""
        return [name for name in self.new["properties"] if name not in self.old["properties"]]

    def kept(self) -> list[str]:
        """Return the properties that both have."""
        return [name for name in self.old["properties"] if name in self.new["properties"]]

    def defaults(self, name: str) -> tuple[Json, Json]:
        """Return the default of a property that both have, as it was and as it is; None is none."""
        old = root_of(self.old["properties"][name], self.old_defs).get("default")
        return old, root_of(self.new["properties"][name], self.new_defs).get("default")

    def takes(self) -> bool:
        """Say whether a request's new schema takes here what the old one took."""
        if same(self.old, self.old_defs, self.new, self.new_defs):
            return True
        ignored = self._ignored(closed=self.old.get("additionalProperties") is False)
        old, new = _without(self.old, ignored), _without(self.new, ignored)
        return covers(new, self.new_defs, old, self.old_defs)

    def gives(self) -> bool:
        """Say whether what the new schema answers here is something that clients of the old one expect."""
        if same(self.old, self.old_defs, self.new, self.new_defs):
            return True
        ignored = self._ignored(
            closed=False in (self.old.get("additionalProperties"), self.new.get("additionalProperties"))
        )
        old, new = _without(self.old, ignored), _without(self.new, ignored)
        return covers(as_read(old), {name: as_read(one) for name, one in self.old_defs.items()}, new, self.new_defs)

    def _ignored(self, *, closed: bool) -> tuple[str, ...]:
        """Return what the comparison of the place itself leaves out: what is compared further, and what both say alike.

        A closed object without its properties would take nothing but {}, of which anything could be proved.
        """
        if self.shape == "leaf":
            return ()
        apart = ("properties", "required", *(("additionalProperties",) if closed else ()))
        return (*CHOICES, *(apart if self.shape == "object" else ("items",)))


def _without(schema: Schema, keys: tuple[str, ...]) -> Schema:
    return {key: value for key, value in schema.items() if key not in keys}


def dotted(where: str, name: str) -> str:
    """Return the place of a property: items[].title."""
    return f"{where}.{name}" if where and name else where or name


def call_pairs(old: Release, new: Release, direction: Direction) -> Iterator[Pair]:
    """Yield all pairs of the requests or the answers of the operations and branches that both contracts have."""
    for call, now in both(old, new):
        for value, part in call.parts.items():
            if value not in now.parts:
                continue
            before, after = (getattr(one, direction) for one in (part, now.parts[value]))
            if before is not None and after is not None:
                yield from _Walk(old, new, call.name).pairs(call.name, now.file, value, before, after)


def file_pairs(old: Release, new: Release) -> Iterator[Pair]:
    """Yield all pairs of the shared schemas that no operation of the last release leads to: those of files."""
    parts = [
        schema for call in old.calls.values() for part in call.parts.values() for schema in (part.input, part.output)
    ]
    used = reachable([schema for schema in parts if schema is not None], old.schemas)
    for name, schema in old.schemas.items():
        if name not in used and name in new.schemas:
            yield from _Walk(old, new, name).pairs(name, new.files.get(name, ""), "", schema, new.schemas[name])


def both(old: Release, new: Release) -> Iterator[tuple[Call, Call]]:
    """Yield each operation that both contracts have, as it was and as it is."""
    for name, call in old.calls.items():
        if name in new.calls:
            yield call, new.calls[name]


class _Walk:
    """One walk down two schemas; a shared schema is entered once, however often it is referred to."""

    def __init__(self, old: Release, new: Release, operation: str) -> None:
        self.old, self.new, self.operation = old, new, operation
        self.entered: set[str] = set()

    def pairs(self, subject: str, file: str, where: str, old: Schema, new: Schema) -> Iterator[Pair]:
        names = (_name(old), _name(new))
        if names[0] and names[1]:
            key = json.dumps([old, new])
            if key in self.entered:
                return
            self.entered.add(key)
            if names[0] == names[1] and not any(key not in BESIDE for schema in (old, new) for key in schema):
                subject, file, where = names[1], self.new.files.get(names[1], file), ""
        old, new = root_of(old, self.old.schemas), root_of(new, self.new.schemas)
        shape = self._shape(old, new)
        pair = Pair(subject, file, self.operation, where, old, new, self.old.schemas, self.new.schemas, shape)
        yield pair
        if pair.shape == "object":
            for name in (*pair.kept(), *pair.added()):
                # A name that was not listed was what the old schema allowed besides, if that says anything.
                before = old["properties"].get(name, old.get("additionalProperties"))
                if isinstance(before, dict):
                    yield from self.pairs(subject, file, dotted(where, name), before, new["properties"][name])
        if pair.shape == "array":
            yield from self.pairs(subject, file, f"{where}[]", old["items"], new["items"])

    def _shape(self, old: Schema, new: Schema) -> Literal["object", "array", "leaf"]:
        choices = ({key: schema[key] for key in CHOICES if key in schema} for schema in (old, new))
        before, after = choices
        if not same(before, self.old.schemas, after, self.new.schemas):
            return "leaf"
        if all(isinstance(schema.get("properties"), dict) for schema in (old, new)):
            return "object"
        return "array" if all(isinstance(schema.get("items"), dict) for schema in (old, new)) else "leaf"


def _name(schema: Json) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2] if isinstance(schema, dict) else ""
