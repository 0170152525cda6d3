"""`python -m codegen breaking` and `baseline`: exit codes, what people and programs read, what lets a change through."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codegen.__main__ import ROOT, main
from codegen.breaking.release import FILE
from tests.codegen.changed import changed

ENTRY = "# Changelog\n\n## [{}] - {}\n\n### {}\n\n- `get_note` answers a note as nexus tools do.\n\n## [0.9.0] - 2026-01-01\n"
WANTS_VERSION = "    to break it all the same: version: 2.0.0 in contracts/openapi.yaml\n"
WANTS_ENTRY = (
    "    to announce it: a line with `get_note` below ### Changed or ### Removed in CHANGELOG.md, unreleased\n"
)
BREAK = (
    "contracts/tools/notes/get_note.yaml: TB006 breaking: get_note has family nexus instead of memvault;"
    " write `family: memvault` again\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A released contract, and get_note since then in another family."""
    contracts = changed(tmp_path, "tools/notes/get_note.yaml", "", "")
    assert main(["baseline", "--contracts", str(contracts)]) == 0
    _edit(contracts / "tools/notes/get_note.yaml", "family: memvault", "family: nexus")
    return contracts


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def _breaking(root: Path, *more: str) -> int:
    return main(["breaking", "--contracts", str(root), *more])


def test_the_contract_keeps_what_its_baseline_promises(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["breaking"]) == 0, capsys.readouterr().out
    assert (ROOT / "contracts" / FILE).is_file()


def test_a_break_is_refused_and_told(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert _breaking(root) == 1
    assert capsys.readouterr().out == (
        f"{BREAK}{WANTS_VERSION}{WANTS_ENTRY}since 1.0.0: 1 breaking, 0 warning, 0 harmless\n"
    )


def test_a_break_needs_a_major_version_and_an_entry(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = root.parent / "CHANGELOG.md"
    log.write_text(ENTRY.format("2.0.0", "unreleased", "Changed"), "utf-8")
    capsys.readouterr()
    assert _breaking(root) == 1
    assert capsys.readouterr().out.startswith(f"{BREAK}{WANTS_VERSION}since")
    _edit(root / "openapi.yaml", "version: 1.0.0", "version: 1.9.0")
    assert _breaking(root) == 1
    _edit(root / "openapi.yaml", "version: 1.9.0", "version: 2.0.0")
    assert _breaking(root) == 0
    capsys.readouterr()
    for version, state, kind in (
        ("2.0.0", "2026-12-24", "Changed"),
        ("2.0.0", "unreleased", "Added"),
    ):
        log.write_text(ENTRY.format(version, state, kind), "utf-8")
        assert _breaking(root) == 1
        assert capsys.readouterr().out.startswith(f"{BREAK}{WANTS_ENTRY}since")


def test_what_clients_only_see_needs_an_entry_alone(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit(root / "tools/notes/get_note.yaml", "family: nexus", "family: memvault")
    _edit(root / "tools/notes/get_note.yaml", "minimum: 1, desc", "minimum: 1, default: 9, desc")
    capsys.readouterr()
    assert _breaking(root) == 1
    assert capsys.readouterr().out == (
        "contracts/tools/notes/get_note.yaml: TB102 warning: get_note: words has the default 9 now; if calls without it"
        f" did something else, take it out\n{WANTS_ENTRY}since 1.0.0: 0 breaking, 1 warning, 0 harmless\n"
    )
    (root.parent / "CHANGELOG.md").write_text(ENTRY.format("Unreleased", "", "Removed"), "utf-8")
    assert _breaking(root) == 0


def test_before_the_first_release_the_baseline_may_be_renewed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root.parent / "CHANGELOG.md").write_text("## [1.0.0] - unreleased\n", "utf-8")
    capsys.readouterr()
    assert _breaking(root) == 1
    wanted = (
        "`python -m codegen baseline`, since 1.0.0 is not released; contracts/baseline/contract.json is as it was\n"
    )
    assert f"    to break it all the same: {wanted}" in capsys.readouterr().out
    assert main(["baseline", "--contracts", str(root)]) == 0
    assert capsys.readouterr().out == "contracts/baseline/contract.json\n"
    assert _breaking(root) == 0
    assert capsys.readouterr().out == "since 1.0.0: 0 breaking, 0 warning, 0 harmless\n"
    assert main(["baseline", "--contracts", str(root)]) == 0
    assert capsys.readouterr().out == ""


def test_programs_read_json_with_what_is_harmless(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit(
        root / "schemas/note.yaml", "      written:", "      author: {type: string, description: Who.}\n      written:"
    )
    capsys.readouterr()
    assert _breaking(root, "--json") == 1
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["baseline"], verdict["version"], verdict["passed"]) == ("1.0.0", "1.0.0", False)
    broken, *added = verdict["findings"]
    assert (broken["rule"], broken["severity"], broken["subject"], len(broken["lacks"])) == (
        "TB006",
        "breaking",
        "get_note",
        2,
    )
    assert {finding["rule"] for finding in added} == {"TB203"}
    assert all(not finding["lacks"] for finding in added)


def test_a_change_of_a_shared_schema_is_told_once(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit(root / "tools/notes/get_note.yaml", "family: nexus", "family: memvault")
    _edit(root / "schemas/note.yaml", "enum: [glad, sad]", "enum: [glad, sad, calm]")
    capsys.readouterr()
    assert _breaking(root) == 1
    printed = capsys.readouterr().out
    assert printed.startswith(
        "contracts/schemas/note.yaml: TB022 breaking: Mood may answer what clients do not expect (enum changed); narrow its schema so"
        " that the old one covers it (in edit_note, find_notes, get_note)\n"
    )
    assert printed.count("TB022") == 1


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"calls": {"get_note": {}}}'])
def test_a_baseline_that_cannot_be_read(root: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (root / FILE).write_text(text, "utf-8")
    assert _breaking(root) == 1
    assert "contracts/baseline/contract.json: no baseline that this generator can read" in capsys.readouterr().err


def test_no_baseline(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / FILE).unlink()
    assert _breaking(root) == 1
    assert "contracts/baseline/contract.json: missing; write it with `python -m codegen baseline`" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize("arguments", [["breaking", "--check"], ["--json"], ["baseline", "--json"], ["broken"]])
def test_misuse(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == 2
