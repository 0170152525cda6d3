"""Changes planted in the product's own contract: what its operations and its export files promise."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen.__main__ import ROOT
from codegen.breaking.judge import compare
from codegen.breaking.release import Release, read_release
from tests.codegen.changed import changed

CONTRACTS = ROOT / "contracts"
FACTS = "required: [record, user_facts, updated]"


@pytest.fixture(scope="module")
def before() -> Release:
    return read_release(CONTRACTS)


@pytest.mark.parametrize(
    ("file", "old", "new", "found"),
    [
        pytest.param(
            "schemas/export.yaml", FACTS, f"minProperties: 4\n    {FACTS}", ("TB050", "ExportFacts"), id="export"
        ),
        pytest.param(
            "tools/tasks/memvault_tasks.yaml",
            "maxLength: 128\n          description: Claim owner",
            "maxLength: 64\n          description: Claim owner",
            ("TB012", "memvault_tasks"),
            id="parameter of a branch",
        ),
        pytest.param(
            "tools/tasks/memvault_tasks.yaml",
            "required: [claimed, task_id, expires_at]",
            "required: [claimed, task_id]",
            ("TB021", "memvault_tasks"),
            id="answer of a branch",
        ),
        pytest.param(
            "tools/memories/search_memories.yaml",
            "default: 5",
            "default: 6",
            ("TB014", "search_memories"),
            id="default",
        ),
        pytest.param(
            "schemas/memory.yaml",
            "enum: [active, superseded, archived]",
            "enum: [active, superseded, archived, lost]",
            ("TB022", "MemoryStatus"),
            id="value of many answers",
        ),
        pytest.param(
            "tools/vault/memvault_search.yaml",
            "session: {scopes: [session:read]}",
            "session: {scopes: [memory:read, session:read]}",
            ("TB030", "memvault_search"),
            id="scope of a branch",
        ),
    ],
)
def test_a_planted_break(
    before: Release, tmp_path: Path, file: str, old: str, new: str, found: tuple[str, str]
) -> None:
    findings = compare(before, read_release(changed(tmp_path, file, old, new, CONTRACTS)))
    assert [(finding.rule.id, finding.found.subject) for finding in findings] == [found]


def test_nothing_has_changed_against_itself(before: Release) -> None:
    assert compare(before, before) == []
