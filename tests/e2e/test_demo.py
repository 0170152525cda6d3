"""`tallystick demo`."""

from __future__ import annotations

import re
from pathlib import Path

from tallystick_contract.documents import load_tools

from tests.e2e.process import tallystick


def test_it_shows_the_way_of_a_memory_and_leaves_nothing(tmp_path: Path) -> None:
    done = tallystick(None, "demo", env={"TMPDIR": str(tmp_path), "PYTHONIOENCODING": "utf-8"})
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for part in (
        "POST /v1/memories",
        "POST /v1/context-recall",
        "POST /v1/memory-recall",
        "POST /mcp",
        '"memory_id"',
        f"{len(load_tools())} tools",
    ):
        assert part in done.stdout
    recalled = done.stdout[done.stdout.index("POST /v1/context-recall") :]
    assert "PostgreSQL 15 with Prisma ORM" in recalled
    assert "Stopped (exit code 0) and removed" in done.stdout
    assert not re.search(r"tsk_[0-9a-f]", done.stdout)
    assert [*tmp_path.iterdir()] == []
