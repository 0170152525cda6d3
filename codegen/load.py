"""Step 1: read the YAML files of a contract and resolve the references between them.

YAML is read as its 1.2 core: only `true` and `false` are booleans, a timestamp stays the text it is, and a key that
is written twice in one mapping is a fault, not a silent replacement.
"""

from __future__ import annotations

import json
import posixpath
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml

from codegen.ir import Json
from codegen.place import ContractError, Place, fault

NOT_CONTRACT = ("meta", "linear")  # folders with files of other kinds


@dataclass(frozen=True)
class Source:
    """The parsed files by their path below the contract's folder, sorted; `meta` holds the schemas of these files."""

    root: Path
    files: dict[str, Any]
    meta: dict[str, Any] = field(default_factory=dict)

    def under(self, folder: str) -> dict[str, Any]:
        """Return the files below one folder."""
        return {path: document for path, document in self.files.items() if path.startswith(folder + "/")}

    def at(self, place: Place) -> Json:
        """Return the node at a place; KeyError if there is none."""
        node = self.files[place.file]
        for key in place.keys:
            node = node[int(key)] if isinstance(node, list) else node[key]
        return node

    def target(self, ref: str, place: Place) -> Place:
        """Return the place that a `$ref` written at `place` names.

        Raises ContractError where the file or the node is missing.
        """
        path, _, pointer = ref.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(place.file), path)) if path else place.file
        if file not in self.files:
            raise ContractError(fault(place, f'$ref "{ref}" names no file of the contract; write contracts/{file}'))
        keys = tuple(unquote(key).replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:])
        found = Place(file, keys)
        try:
            self.at(found)
        except (KeyError, IndexError, ValueError, TypeError):
            raise ContractError(fault(place, f'$ref "{ref}" names nothing; add {found}')) from None
        return found


def load(root: Path) -> Source:
    """Read every contract file below `root`.

    Raises ContractError naming file, line and column where a file is not YAML, or not a mapping.
    """
    files: dict[str, Any] = {}
    messages: list[str] = []
    for path in sorted(root.rglob("*.yaml"), key=lambda path: path.relative_to(root).as_posix()):
        name = path.relative_to(root).as_posix()
        if name.split("/")[0] in NOT_CONTRACT:
            continue
        try:
            files[name] = _parse(path)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
            messages.append(fault(Place(name), f"not YAML: {where}{error.problem}"))
            continue
        if not isinstance(files[name], dict):
            messages.append(fault(Place(name), "not a mapping; a contract file is one YAML mapping"))
    for needed in ("openapi.yaml", "errors.yaml"):
        if not (root / needed).is_file():
            messages.append(fault(Place(needed), "missing; a contract has this file"))
    if messages:
        raise ContractError(*messages)
    return Source(root, files, _load_meta(root / "meta"))


def _load_meta(folder: Path) -> dict[str, Any]:
    paths = sorted(path for path in folder.glob("*") if path.suffix in (".json", ".yaml"))
    return {
        path.name.split(".")[0]: json.loads(path.read_text("utf-8")) if path.suffix == ".json" else _parse(path)
        for path in paths
    }


def _parse(path: Path) -> Json:
    return yaml.load(path.read_text("utf-8"), Loader=_Loader)


class _Loader(yaml.CSafeLoader):
    """PyYAML's safe loader without its 1.1 surprises."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        self.flatten_mapping(node)
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            # A status such as 200 is a key of a JSON object, hence text.
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key is None or key in mapping:
                text = "a key must be a plain text" if key is None else f'key "{key}" is written twice'
                raise yaml.constructor.ConstructorError(None, None, text, key_node.start_mark)
            mapping[key] = self.construct_object(value_node, deep=deep)
        return mapping


_REPLACED = (":timestamp", ":bool", ":int", ":float")
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(_REPLACED)]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
for _tag, _pattern, _first in (
    ("bool", r"^(?:true|false)$", "tf"),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?$", "-+0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first))
