"""Changes planted in a small contract, and the rules that find each: breaking ones, visible ones, harmless ones."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from tallystick.transports.rest import MAX_BODY

from codegen.breaking.judge import compare
from codegen.breaking.release import Release, read_release
from codegen.breaking.rules import RULES, body_form
from tests.codegen.changed import CASES

PLANTED: dict[str, dict[str, dict[str, Any]]] = {
    severity: yaml.safe_load((Path(__file__).parent / f"{file}.yaml").read_text("utf-8"))
    for severity, file in (("breaking", "breaks"), ("warning", "visible"), ("harmless", "harmless"))
}
CHANGES = [
    pytest.param(severity, change, id=name) for severity, changes in PLANTED.items() for name, change in changes.items()
]


@pytest.fixture(scope="module")
def before() -> dict[str, Release]:
    return {case: read_release(CASES / case / "contracts") for case in ("notes", "branches")}


def _changed(folder: Path, change: dict[str, Any]) -> Path:
    root = folder / "contracts"
    shutil.copytree(CASES / change.get("case", "notes") / "contracts", root)
    for edit in ([change] if "file" in change else []) + change.get("edits", []):
        path = root / edit["file"]
        text = path.read_text("utf-8") if path.exists() else ""
        assert not edit["old"] or text.count(edit["old"]) == 1, f"{edit['file']} holds {edit['old']!r} not once"
        path.write_text(text.replace(edit["old"], edit["new"]) if edit["old"] else text + edit["new"], "utf-8")
    for name in change.get("remove", []):
        (root / name).unlink()
    return root


@pytest.mark.parametrize(("severity", "change"), CHANGES)
def test_a_planted_change(severity: str, change: dict[str, Any], before: dict[str, Release], tmp_path: Path) -> None:
    findings = compare(before[change.get("case", "notes")], read_release(_changed(tmp_path, change)))
    assert sorted({finding.rule.id for finding in findings}) == change["rules"]
    assert max((finding.rule.severity for finding in findings), key=_rank, default="harmless") == severity
    for finding in findings:  # each says which file to touch
        assert finding.found.file.startswith("contracts/")
        assert (CASES / change.get("case", "notes") / finding.found.file).exists()


def _rank(severity: str) -> int:
    return ["harmless", "warning", "breaking"].index(severity)


def test_every_rule_has_a_module_of_its_own_and_an_id_that_tells_its_severity() -> None:
    files = {path.stem for path in Path(body_form.__file__).parent.glob("*.py")} - {"__init__"}
    assert sorted(rule.check.__module__.rpartition(".")[2] for rule in RULES) == sorted(files)
    assert len({rule.id for rule in RULES}) == len(RULES)
    first = {"breaking": "TB0", "warning": "TB1", "harmless": "TB2"}
    assert all(rule.id.startswith(first[rule.severity]) for rule in RULES)


def test_every_rule_finds_something_planted() -> None:
    found = {rule for changes in PLANTED.values() for change in changes.values() for rule in change["rules"]}
    assert {rule.id for rule in RULES} - found == {"TB050"}  # which test_real_contract.py shows


def test_the_usual_limit_of_a_body_is_the_servers() -> None:
    assert body_form.USUAL == MAX_BODY
