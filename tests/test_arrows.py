"""The arrows of the house point one way: transports -> endpoint -> handlers -> (recall, store, linear)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SERVER = ROOT / "server" / "tallystick"

# What the files of a folder must not import, and why.
FORBIDDEN = {
    SERVER / "recall": (
        ("tallystick.store", "tallystick.handlers", "tallystick.transports", "sqlalchemy", "starlette"),
        "pure",
    ),
    SERVER / "capture": (
        ("tallystick.store", "tallystick.handlers", "tallystick.transports", "sqlalchemy", "starlette"),
        "reads files and knows nothing else",
    ),
    SERVER / "connect": (
        ("tallystick.store", "tallystick.handlers", "tallystick.transports", "tallystick.cli", "mcp", "httpx"),
        "knows files of clients and nothing of the server",
    ),
    SERVER / "store": (
        ("tallystick.handlers", "tallystick.transports", "tallystick.endpoint", "starlette", "mcp"),
        "knows no handler",
    ),
    SERVER / "linear": (
        ("tallystick.store", "tallystick.handlers", "tallystick.transports", "tallystick.endpoint", "starlette", "mcp"),
        "speaks to Linear and knows nothing of who asks",
    ),
    SERVER / "handlers": (
        ("tallystick.transports", "starlette", "mcp", "uvicorn", "httpx"),
        "knows neither HTTP nor MCP",
    ),
    ROOT / "generated" / "tallystick_contract": (("tallystick.", "server"), "imports nothing of the server"),
    ROOT / "generated" / "python-client": (("tallystick.", "tallystick_contract"), "needs the wire only"),
    ROOT / "codegen": (("tallystick.", "tallystick_contract", "server"), "reads the contract only"),
}


def imports(path: Path) -> set[str]:
    """The absolute names of all modules that a file imports, relative ones resolved."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(node.module or "")
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(ROOT / "server").parts[: -node.level] if SERVER in path.parents else ()
            found.add(".".join([*package, *(node.module or "").split(".")]).strip("."))
    return found


@pytest.mark.parametrize("folder", FORBIDDEN, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_arrows(folder: Path) -> None:
    forbidden, why = FORBIDDEN[folder]
    files = [path for path in folder.rglob("*.py") if "templates" not in path.parts]
    assert files
    for path in files:
        for name in imports(path):
            assert not any(f"{name}.".startswith(f"{bad.rstrip('.')}.") for bad in forbidden), (
                f"{path.relative_to(ROOT)} imports {name}, but {folder.relative_to(ROOT)} {why}"
            )


def test_the_environment_has_one_reader() -> None:
    readers = [
        p for p in SERVER.rglob("*.py") if "os.environ" in p.read_text("utf-8") or "getenv" in p.read_text("utf-8")
    ]
    # The bridge and the commands that come before settings are loaded read one variable each, by name.
    allowed = {"settings.py", "bridge.py"} | {p.name for p in (SERVER / "cli").glob("*.py")}
    assert {p.name for p in readers} <= allowed


def test_no_file_is_over_400_lines() -> None:
    files = [p for folder in ("server", "codegen", "tests") for p in (ROOT / folder).rglob("*.py")]
    assert {str(p.relative_to(ROOT)): n for p in files if (n := len(p.read_text("utf-8").splitlines())) > 400} == {}
