"""Two contracts side by side: each place of a request or an answer that both have, with its old and its new schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from codegen.breaking.containment import Defs, as_read, covers, same
from codegen.breaking.finding import Found
from codegen.breaking.release import Call, Release
from codegen.ir import Json, Schema
from codegen.resolve import root_of
from codegen.shape import COMBINATORS, CONDITIONS, reachable

LISTS = ("oneOf", "anyOf", "allOf")
CHOICES = (*COMBINATORS, *CONDITIONS, "patternProperties", "prefixItems", "contains")
BESIDE = ("$ref", "default")  # what may stand beside a reference without making it a schema of its own

Direction = Literal["input", "output"]


@dataclass(frozen=True)
class Pair:
    """One place in both contracts; the schemas are resolved at their root.

    `shape` says what is compared further, each in a pair of its own: the properties of an object or the items of an array.
    A leaf is compared as a whole; pairs within it only say where it changed, and what no comparison sees, such as a default.
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
    direction: Direction
    settled: bool  # it lies within a leaf that was proved to break nobody

    def found(self, name: str, text: str) -> Found:
        """Return what a rule says of the property `name` here, or of the place itself where that is ""."""
        at = f"{self.subject}: {dotted(self.where, name)}" if self.where or name else self.subject
        return Found(
            self.subject, self.file, f"{at} {text}", (self.operation,) if self.operation != self.subject else ()
        )

    @property
    def objects(self) -> bool:
        """Say whether both list properties."""
        return all(isinstance(schema.get("properties"), dict) for schema in (self.old, self.new))

    def gone(self) -> list[str]:
        """Return the properties that only the old contract has."""
        return [name for name in self.old["properties"] if name not in self.new["properties"]] if self.objects else []

    def added(self) -> list[str]:
        """Return the properties that only the new contract has."""
        return [name for name in self.new["properties"] if name not in self.old["properties"]] if self.objects else []

    def kept(self) -> list[str]:
        """Return the properties that both have."""
        return [name for name in self.old["properties"] if name in self.new["properties"]] if self.objects else []

    def refused(self) -> list[str]:
        """Return the properties that a request may no longer name: they are gone and the object is closed."""
        closed = self.new.get("additionalProperties") is False
        return self.gone() if closed and not self.settled else []

    def newly_required(self) -> list[str]:
        """Return the properties that are required and were not."""
        return self._required(self.new, self.old)

    def no_longer_required(self) -> list[str]:
        """Return the properties that were required and are not, the ones that are gone included."""
        return self._required(self.old, self.new)

    def _required(self, one: Schema, other: Schema) -> list[str]:
        names = one.get("required", []) if self.objects and not self.settled else []
        return [name for name in names if name not in other.get("required", [])]

    def defaults(self, name: str) -> tuple[Json, Json]:
        """Return the default of a property that both have, as it was and as it is; None is none."""
        old = root_of(self.old["properties"][name], self.old_defs).get("default")
        return old, root_of(self.new["properties"][name], self.new_defs).get("default")

    def keywords(self) -> str:
        """Return which keywords of the place itself differ, for a message."""
        apart = {"object": ("properties", "required"), "array": ("items",), "leaf": ()}[self.shape]
        names = [key for key in sorted({*self.old, *self.new}) if self.old.get(key) != self.new.get(key)]
        # Where none does, what the place refers to has changed.
        return ", ".join(name for name in names if name not in apart) or "what it refers to"

    @cached_property
    def proved(self) -> bool:
        """Say whether a request takes here what it took, or an answer holds here only what clients expect."""
        if self.settled or same(self.old, self.old_defs, self.new, self.new_defs):
            return True
        ends = [schema.get("additionalProperties") is False for schema in (self.old, self.new)]
        ignored = self._ignored(closed=ends[0] if self.direction == "input" else any(ends))
        old, new = _without(self.old, ignored), _without(self.new, ignored)
        if self.direction == "input":
            return covers(new, self.new_defs, old, self.old_defs)
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
                yield from _Walk(old, new, call.name, direction).pairs(call.name, now.file, value, before, after)


def file_schemas(release: Release) -> list[str]:
    """Return the shared schemas of files: those from contract files that no operation leads to."""
    parts = [
        schema
        for call in release.calls.values()
        for part in call.parts.values()
        for schema in (part.input, part.output)
    ]
    used = reachable([schema for schema in parts if schema is not None], release.schemas)
    asked = {release.files.get(name) for name, schema in release.schemas.items() if name in used or schema in parts}
    return [name for name in release.schemas if release.files.get(name) not in asked]


def file_pairs(old: Release, new: Release) -> Iterator[Pair]:
    """Yield all pairs of the shared schemas of files that both contracts have."""
    for name in file_schemas(old):
        if name in new.schemas:
            walk = _Walk(old, new, name, "input")
            yield from walk.pairs(name, new.files.get(name, ""), "", old.schemas[name], new.schemas[name])


def both(old: Release, new: Release) -> Iterator[tuple[Call, Call]]:
    """Yield each operation that both contracts have, as it was and as it is."""
    for name, call in old.calls.items():
        if name in new.calls:
            yield call, new.calls[name]


class _Walk:
    """One walk down two schemas; a shared schema is entered once, however often it is referred to."""

    def __init__(self, old: Release, new: Release, operation: str, direction: Direction) -> None:
        self.old, self.new, self.operation, self.direction = old, new, operation, direction
        self.entered: set[str] = set()

    def pairs(
        self, subject: str, file: str, where: str, old: Schema, new: Schema, *, settled: bool = False
    ) -> Iterator[Pair]:
        names = (_name(old), _name(new))
        if names[0] and names[1]:
            key = json.dumps([old, new, settled])
            if key in self.entered:
                return
            self.entered.add(key)
            if names[0] == names[1] and not any(key not in BESIDE for schema in (old, new) for key in schema):
                subject, file, where = names[1], self.new.files.get(names[1], file), ""
        old, new = root_of(old, self.old.schemas), root_of(new, self.new.schemas)
        shape = self._shape(old, new)
        pair = Pair(
            subject=subject,
            file=file,
            operation=self.operation,
            where=where,
            old=old,
            new=new,
            old_defs=self.old.schemas,
            new_defs=self.new.schemas,
            shape=shape,
            direction=self.direction,
            settled=settled,
        )
        yield pair
        settled = settled or (shape == "leaf" and pair.proved)
        for further, before, after in _further(pair):
            yield from self.pairs(subject, file, f"{where}{further}".lstrip("."), before, after, settled=settled)

    def _shape(self, old: Schema, new: Schema) -> Literal["object", "array", "leaf"]:
        choices = ({key: schema[key] for key in CHOICES if key in schema} for schema in (old, new))
        before, after = choices
        if not same(before, self.old.schemas, after, self.new.schemas):
            return "leaf"
        if all(isinstance(schema.get("properties"), dict) for schema in (old, new)):
            return "object"
        return "array" if all(isinstance(schema.get("items"), dict) for schema in (old, new)) else "leaf"


def _further(pair: Pair) -> Iterator[tuple[str, Schema, Schema]]:
    """Yield what lies directly within a pair: how to write the place, and its schemas."""
    old, new = pair.old, pair.new
    for name in (*pair.kept(), *pair.gone(), *pair.added()):
        # A name that is not listed is what the schema allows besides.
        before, after = (
            schema["properties"].get(name, schema.get("additionalProperties", {})) for schema in (old, new)
        )
        if name in pair.gone() and not isinstance(after, dict):
            continue
        if before is not False and after is not False:
            yield f".{name}", {} if before is True else before, after
    if all(isinstance(schema.get("items"), dict) for schema in (old, new)):
        yield "[]", old["items"], new["items"]
    for key in LISTS if pair.shape == "leaf" else ():
        known = {_key(branch, index): branch for index, branch in enumerate(old.get(key, []))}
        for index, branch in enumerate(new.get(key, [])):
            if _key(branch, index) in known:
                yield "", known[_key(branch, index)], branch


def _key(branch: Json, index: int) -> str:
    """Return what tells a branch from the others: its name, its constants, else its number."""
    properties = branch.get("properties", {}) if isinstance(branch, dict) else {}
    constants = {name: inner["const"] for name, inner in sorted(properties.items()) if "const" in inner}
    return _name(branch) or (json.dumps(constants) if constants else str(index))


def _name(schema: Json) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2] if isinstance(schema, dict) else ""
