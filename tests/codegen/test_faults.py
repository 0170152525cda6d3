"""Contracts that must fail, each with its exact messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from codegen.generate import read_contract
from codegen.lint import CONTRACT_RULES, FILE_RULES, OUTPUT_RULES
from codegen.place import ContractError
from tests.codegen.changed import CASES, NOTES, changed

FAULTS: dict[str, dict[str, Any]] = {
    name: fault
    for file in sorted((Path(__file__).parent / "faults").glob("*.yaml"))
    for name, fault in yaml.safe_load(file.read_text("utf-8")).items()
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str, tmp_path: Path) -> None:
    fault = FAULTS[name]
    root = changed(
        tmp_path, fault["file"], fault["old"], fault["new"], CASES / fault.get("case", "notes") / "contracts"
    )
    with pytest.raises(ContractError) as raised:
        read_contract(root)
    assert list(raised.value.messages) == fault["messages"]


def test_the_contract_before_the_change_is_right() -> None:
    assert [op.name for op in read_contract(NOTES).operations] == [
        "add_note",
        "edit_note",
        "export_notes",
        "find_notes",
        "get_note",
        "metrics",
        "put_extra",
        "send_note",
    ]


def test_a_name_longer_than_clients_take(tmp_path: Path) -> None:
    long = "find_the_notes_that_hold_all_of_these_words"
    root = changed(tmp_path, "paths/notes.yaml", "operationId: find_notes", f"operationId: {long}")
    (root / "tools/notes/find_notes.yaml").rename(root / f"tools/notes/{long}.yaml")
    paths = root / "paths/notes.yaml"
    paths.write_text(paths.read_text("utf-8").replace("find_notes.yaml", f"{long}.yaml"), "utf-8")
    with pytest.raises(ContractError) as raised:
        read_contract(root)
    assert raised.value.messages == (
        f"contracts/tools/notes/{long}.yaml: the name {long} has 43 characters; tools have at most 40",
    )


def test_a_body_that_differs_from_the_tool(tmp_path: Path) -> None:
    old = "schema: {$ref: ../tools/notes/find_notes.yaml#/inputSchema}"
    root = changed(tmp_path, "paths/notes.yaml", old, "schema: {$ref: ../schemas/search.yaml#/$defs/Search}")
    query = "{query: {type: integer, description: Q.}}"
    other = f"{{type: object, description: S., additionalProperties: false, properties: {query}}}"
    (root / "schemas/search.yaml").write_text(f"$defs:\n  Search: {other}\n", "utf-8")
    with pytest.raises(ContractError) as raised:
        read_contract(root)
    assert raised.value.messages == (
        "contracts/paths/notes.yaml#/~1v1~1note-search/post/requestBody/content/application~1json/schema: the body"
        " differs from the tool's properties; use `$ref: ../tools/notes/find_notes.yaml#/inputSchema`",
    )


def test_a_file_that_breaks_its_meta_schema(tmp_path: Path) -> None:
    root = changed(tmp_path, "tools/notes/find_notes.yaml", "title: Find notes", "titel: Find notes")
    (root / "meta").mkdir()
    meta = "$id: https://meta.invalid/tool\ntype: object\nproperties: {family: {$ref: 'https://meta.invalid/family'}}\n"
    (root / "meta/tool.schema.yaml").write_text(meta, "utf-8")
    (root / "meta/family.schema.yaml").write_text(
        "$id: https://meta.invalid/family\nenum: [nexus, memvault]\n", "utf-8"
    )
    with pytest.raises(ContractError) as raised:
        read_contract(root)
    # What a rule can say comes first; the meta-schema speaks where no rule does.
    assert raised.value.messages == (
        "contracts/tools/notes/find_notes.yaml: tool find_notes has no title; add title: ...",
    )
    found = changed(tmp_path / "again", "tools/notes/find_notes.yaml", "title: Find notes", "title: Find notes!")
    (root / "meta").rename(found / "meta")
    with pytest.raises(ContractError) as raised:
        read_contract(found)
    assert raised.value.messages == (
        "contracts/tools/notes/find_notes.yaml#/family: 'recall' is not one of ['nexus', 'memvault']"
        " (contracts/meta/tool.schema.yaml says so)",
    )


def test_a_missing_file_of_every_contract(tmp_path: Path) -> None:
    root = changed(tmp_path, "errors.yaml", "", "\n")
    (root / "errors.yaml").unlink()
    with pytest.raises(ContractError) as raised:
        read_contract(root)
    assert raised.value.messages == ("contracts/errors.yaml: missing; a contract has this file",)


def test_every_rule_has_a_module_of_its_own() -> None:
    modules = [rule.__module__ for rule in (*FILE_RULES, *CONTRACT_RULES, *OUTPUT_RULES)]
    here = Path(read_contract.__globals__["__file__"]).parent / "lint"
    files = {path.stem for path in here.glob("*.py")} - {"__init__", "sites", "meta"}
    assert sorted(modules) == sorted(f"codegen.lint.{name}" for name in files)
