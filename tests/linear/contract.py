"""The files of contracts/linear: the schema, and one document an operation with the fragments it uses."""

from __future__ import annotations

from pathlib import Path

from graphql import DocumentNode, build_schema, concat_ast, parse, print_ast, separate_operations

FOLDER = Path(__file__).parents[2] / "contracts" / "linear"
FILES = sorted((FOLDER / "operations").glob("*.graphql"))

SCHEMA_TEXT = (FOLDER / "schema.graphql").read_text("utf-8")
SCHEMA = build_schema(SCHEMA_TEXT)

WHOLE: DocumentNode = concat_ast([parse(path.read_text("utf-8")) for path in FILES])
DOCUMENTS: dict[str, DocumentNode] = separate_operations(WHOLE)
"""By the operation's name."""


def text(operation: str) -> str:
    """Return the document of one operation as it is sent."""
    return print_ast(DOCUMENTS[operation])
