"""The commands: `python -m codegen breaking [--json]` and `python -m codegen baseline`."""

from __future__ import annotations

import json
from pathlib import Path

from codegen.breaking.judge import judge
from codegen.breaking.release import FILE, read_baseline, read_release, write_baseline


def breaking(contracts: Path, *, as_json: bool) -> int:
    """Print what has changed since the last release; 0 where all of it may stay, else 1.

    The CHANGELOG.md beside the contract's folder says what is announced. Raises ContractError where contract or baseline
    cannot be read.
    """
    changelog = contracts.resolve().parent / "CHANGELOG.md"
    text = changelog.read_text("utf-8") if changelog.is_file() else ""
    verdict = judge(read_baseline(contracts), read_release(contracts), text)
    print(json.dumps(verdict.as_json(), indent=1, ensure_ascii=False) if as_json else "\n".join(verdict.lines()))
    return 0 if verdict.passed else 1


def baseline(contracts: Path) -> int:
    """Take the contract as it stands for the released one. Raises ContractError where it is not right."""
    if write_baseline(read_release(contracts), contracts):
        print(f"contracts/{FILE.as_posix()}")
    return 0
