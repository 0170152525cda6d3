"""The steps in order: load, build, lint, emit; and what is done with the texts."""

from __future__ import annotations

import difflib
from pathlib import Path

from codegen.build import build
from codegen.emit import emit_all
from codegen.ir import Contract
from codegen.lint import lint, lint_files, lint_meta
from codegen.load import load
from codegen.place import ContractError
from codegen.text import MARK

OWNED = "tallystick_contract"  # every file in this folder of generated/ is made here


def read_contract(root: Path) -> Contract:
    """Return the linted contract below `root`. Raises ContractError with every message found."""
    source = load(root)
    messages = lint_files(source)
    if messages:
        raise ContractError(*messages)
    violations = lint_meta(source)
    try:
        contract = build(source)
    except (AttributeError, KeyError, TypeError) as error:
        # Files that break their meta-schema may not have the parts that build takes for granted; that is the message.
        if violations:
            raise ContractError(*violations) from error
        raise
    messages = lint(contract, source) or violations
    if messages:
        raise ContractError(*messages)
    return contract


def generate(root: Path) -> dict[str, str]:
    """Return every generated file of the contract below `root`: path below generated/ -> text."""
    return emit_all(read_contract(root))


def write(files: dict[str, str], folder: Path) -> list[str]:
    """Write what differs, remove what is no longer generated; return the paths that changed."""
    changed = []
    for name, text in files.items():
        path = folder / name
        if _read(path) != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
            changed.append(name)
    for name in stale(files, folder):
        (folder / name).unlink()
        changed.append(name)
    return changed


def difference(files: dict[str, str], folder: Path) -> str:
    """Return a unified diff from the files on disk to the generated ones, empty where they agree."""
    parts = []
    for name in sorted({*files, *stale(files, folder)}):
        old, new = _read(folder / name), files.get(name)
        if old == new:
            continue
        before = f"generated/{name}" if old is not None else "/dev/null"
        after = f"generated/{name}" if new is not None else "/dev/null"
        lines = difflib.unified_diff(
            (old or "").splitlines(keepends=True), (new or "").splitlines(keepends=True), before, after
        )
        parts.append("".join(lines) or f"--- {before}\n+++ {after}\n")  # an empty file has no lines to show
    return "".join(parts)


def stale(files: dict[str, str], folder: Path) -> list[str]:
    """Return files on disk that the contract no longer makes: any in the owned folder, marked ones elsewhere."""
    found = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name in files or "__pycache__" in path.parts or not path.is_file():
            continue
        if name.startswith(f"{OWNED}/") or (path.suffix in (".py", ".md") and MARK in path.read_text("utf-8")[:200]):
            found.append(name)
    return found


def _read(path: Path) -> str | None:
    return path.read_bytes().decode("utf-8") if path.is_file() else None
