"""The expected output of each case; `python -m tests.codegen.golden` writes it anew, for a reader to look through."""

from __future__ import annotations

from pathlib import Path

from codegen.emit import documents, errors, handlers, models, openapi, operations, schemas, tools
from codegen.generate import read_contract
from tests.codegen.changed import CASES

EMITTERS = (models, errors, operations, handlers, schemas, openapi, tools, documents)


def generated(case: Path) -> dict[str, str]:
    """Return what the emitters of the server's package make of a case, by the name of the expected file."""
    contract = read_contract(case / "contracts")
    files: dict[str, str] = {}
    for emitter in EMITTERS:
        files.update(emitter.emit(contract))
    return {f"{name.rpartition('/')[2]}.txt": text for name, text in sorted(files.items())}


def expected(case: Path) -> dict[str, str]:
    """Return the expected files of a case."""
    return {path.name: path.read_text("utf-8") for path in sorted((case / "expected").glob("*.txt"))}


if __name__ == "__main__":
    for each in sorted(CASES.iterdir()):
        for name, text in generated(each).items():
            path = each / "expected" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
