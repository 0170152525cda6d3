"""The small contract of cases/notes, changed in one place: the way from a right contract to each wrong one."""

from __future__ import annotations

import shutil
from pathlib import Path

CASES = Path(__file__).parent / "cases"
NOTES = CASES / "notes" / "contracts"


def changed(folder: Path, file: str, old: str, new: str, contract: Path = NOTES) -> Path:
    """Copy a contract into `folder` and replace `old`, which must be there exactly once, by `new` in one file."""
    root = folder / "contracts"
    shutil.copytree(contract, root)
    path = root / file
    text = path.read_text("utf-8") if path.exists() else ""
    if old:
        assert text.count(old) == 1, f"{file} holds {old!r} {text.count(old)} times"
        path.write_text(text.replace(old, new), "utf-8")
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + new, "utf-8")
    return root
