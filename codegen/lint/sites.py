"""Where schemas are written: the ground that the rules over schemas walk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from codegen.ir import Json
from codegen.load import Source
from codegen.operation import METHODS
from codegen.place import Place
from codegen.walk import Node, walk


@dataclass(frozen=True)
class Site:
    """One schema as it is written in a file, before references are resolved."""

    place: Place
    schema: Json
    role: Literal["input", "output", "shared", "parameter", "body", "answer"]


def sites(source: Source) -> Iterator[Site]:
    """Yield every schema of the contract once: shared ones, those of tools, those of routes."""
    for file, document in source.files.items():
        for name, schema in document.get("$defs", {}).items():
            yield Site(Place(file) / "$defs" / name, schema, "shared")
    for file, tool in source.under("tools").items():
        if "inputSchema" in tool:
            yield Site(Place(file) / "inputSchema", tool["inputSchema"], "input")
        if "outputSchema" in tool:
            yield Site(Place(file) / "outputSchema", tool["outputSchema"], "output")
        for value, branch in tool.get("branches", {}).items():
            if "outputSchema" in branch:
                yield Site(Place(file) / "branches" / value / "outputSchema", branch["outputSchema"], "output")
    for place, route in routes(source):
        yield from _route_sites(place, route)


def nodes(source: Source) -> Iterator[tuple[Site, Node]]:
    """Yield every schema and every schema inside it, each with the site it belongs to."""
    for site in sites(source):
        for node in walk(site.schema, site.place):
            yield site, node


def routes(source: Source) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield every operation object of paths/, referenced or not."""
    for file, document in source.under("paths").items():
        for path, item in document.items():
            for method in METHODS:
                if isinstance(item, dict) and isinstance(item.get(method), dict):
                    yield Place(file) / path / method, item[method]


def _route_sites(place: Place, route: dict[str, Any]) -> Iterator[Site]:
    for index, parameter in enumerate(route.get("parameters", [])):
        if "schema" in parameter:
            yield Site(place / "parameters" / index / "schema", parameter["schema"], "parameter")
    for media, inside in route.get("requestBody", {}).get("content", {}).items():
        if "schema" in inside:
            yield Site(place / "requestBody" / "content" / media / "schema", inside["schema"], "body")
    for status, response in route.get("responses", {}).items():
        for media, inside in response.get("content", {}).items():
            if "schema" in inside:
                yield Site(place / "responses" / status / "content" / media / "schema", inside["schema"], "answer")
