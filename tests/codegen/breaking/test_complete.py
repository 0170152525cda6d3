"""Rules look place by place; together they must see whatever a comparison of the whole schemas sees."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from codegen.__main__ import ROOT
from codegen.breaking.containment import as_read, covers
from codegen.breaking.judge import compare
from codegen.breaking.release import Release, read_release
from codegen.shape import reachable

Schema = dict[str, Any]
Change = Callable[[Schema, random.Random], None]

SEEN = {"input": {"TB010", "TB011", "TB012"}, "output": {"TB020", "TB021", "TB022"}}


def _drop(schema: Schema, rnd: random.Random) -> None:
    name = rnd.choice(list(schema["properties"]))
    del schema["properties"][name]
    schema["required"] = [other for other in schema.get("required", []) if other != name]


def _add(schema: Schema, rnd: random.Random) -> None:
    schema["properties"]["further"] = {"type": "string"}
    if rnd.random() < 0.5:
        schema["required"] = [*schema.get("required", []), "further"]


def _require(schema: Schema, rnd: random.Random) -> None:
    name = rnd.choice(list(schema["properties"]))
    before = schema.get("required", [])
    schema["required"] = [other for other in before if other != name] if name in before else [*before, name]


def _set(**members: Any) -> Change:
    return lambda schema, rnd: schema.update({key: rnd.choice(values) for key, values in members.items()})


CHANGES: dict[str, list[Change]] = {
    "object": [_drop, _add, _require, _set(additionalProperties=[True, False, {"type": "string"}])],
    "string": [
        _set(maxLength=[3, 10**7]),
        _set(minLength=[0, 3]),
        _set(pattern=["^a"]),
        _set(type=[["string", "null"]]),
    ],
    "integer": [_set(maximum=[2, 10**9]), _set(type=["number"])],
    "array": [_set(maxItems=[1, 10**6]), _set(uniqueItems=[True, False]), _set(items=[{}])],
    "enum": [lambda schema, rnd: schema.update(enum=rnd.choice([schema["enum"][:-1], [*schema["enum"], "more"]]))],
}


def _nodes(schema: Any) -> Iterator[Schema]:
    if isinstance(schema, dict):
        yield schema
        for inner in schema.get("properties", {}).values():
            yield from _nodes(inner)
        for key in ("items", "additionalProperties"):
            yield from _nodes(schema.get(key))
        for key in ("oneOf", "anyOf", "allOf"):
            for inner in schema.get(key, []):
                yield from _nodes(inner)


def _changes(node: Schema) -> list[Change]:
    found = list(CHANGES.get(node["type"], [])) if isinstance(node.get("type"), str) else []
    if node.get("type") == "object" and not node.get("properties"):
        found = [CHANGES["object"][-1]]
    return [*found, *(CHANGES["enum"] if len(node.get("enum", [])) > 1 else [])]


@pytest.fixture(scope="module")
def release() -> Release:
    return read_release(ROOT / "contracts")


@pytest.mark.parametrize("direction", ["input", "output"])
def test_nothing_is_missed(direction: str, release: Release) -> None:
    rnd = random.Random(direction)
    broken = passed = 0
    for _ in range(100):
        name = rnd.choice(list(release.calls))
        call = release.calls[name]
        value, part = rnd.choice(list(call.parts.items()))
        was: Schema | None = getattr(part, direction)
        if was is None:
            continue
        schema, shared = copy.deepcopy(was), copy.deepcopy(release.schemas)
        places = [(node, change) for one in (schema, *(shared[other] for other in reachable([was], shared)))
                  for node in _nodes(one) for change in _changes(node)]  # fmt: skip
        if not places:
            continue
        node, change = rnd.choice(places)
        change(node, rnd)
        changed = replace(call, parts={value: replace(part, **{direction: schema})})
        old = replace(release, calls={name: replace(call, parts={value: part})})
        new = replace(release, calls={name: changed}, schemas=shared)
        found = {finding.rule.id for finding in compare(old, new)} & SEEN[direction]
        if direction == "input":
            kept = covers(schema, shared, was, release.schemas)
        else:
            kept = covers(as_read(was), {key: as_read(one) for key, one in release.schemas.items()}, schema, shared)
        assert kept or found, f"{name} {value}: nobody saw that {was} became {schema}"
        broken += bool(found)
        passed += not found
    assert broken > 15
    assert passed > 15
