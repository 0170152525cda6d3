"""The files of contracts/linear: the schema, and one document an operation with the fragments it uses."""

from __future__ import annotations

from pathlib import Path

from graphql import DocumentNode, build_schema, concat_ast, parse
from tallystick_contract.documents import load_linear

FOLDER = Path(__file__).parents[2] / "contracts" / "linear"
FILES = sorted((FOLDER / "operations").glob("*.graphql"))

SCHEMA_TEXT = (FOLDER / "schema.graphql").read_text("utf-8")
SCHEMA = build_schema(SCHEMA_TEXT)

WHOLE: DocumentNode = concat_ast([parse(path.read_text("utf-8")) for path in FILES])
DOCUMENTS: dict[str, DocumentNode] = {name: parse(text) for name, text in load_linear().items()}
"""What is sent, by the operation's name."""


def text(operation: str) -> str:
    """Return the document of one operation as it is sent."""
    return load_linear()[operation]
