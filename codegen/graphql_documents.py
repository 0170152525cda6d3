"""The GraphQL documents of contracts/linear: parsed, held against the schema beside them, and cut into one text an operation."""

from __future__ import annotations

from pathlib import Path

from graphql import GraphQLError, GraphQLSyntaxError, build_schema, concat_ast, parse, print_ast, separate_operations
from graphql import validate as faults

from codegen.place import ContractError, Place, fault


def documents(folder: Path) -> dict[str, str]:
    """Return what is sent for each operation, by its name: the operation and the fragments it uses, no other.

    Args:
        folder: holds schema.graphql and operations/*.graphql; there are no documents where it is missing.

    Raises:
        ContractError: a file is no GraphQL, or an operation does not fit the schema.
    """
    if not folder.is_dir():
        return {}
    schema = build_schema((folder / "schema.graphql").read_text("utf-8"))
    parsed, messages = [], []
    for path in sorted((folder / "operations").glob("*.graphql")):
        try:
            parsed.append(parse(path.read_text("utf-8")))
        except GraphQLSyntaxError as error:
            messages.append(_told(f"{folder.name}/operations/{path.name}", error))
    separate = separate_operations(concat_ast(parsed))
    for name, document in separate.items():
        messages += [_told(f"{folder.name}, operation {name}", error) for error in faults(schema, document)]
    if messages:
        raise ContractError(*messages)
    return {name: print_ast(document) for name, document in sorted(separate.items())}


def _told(where: str, error: GraphQLError) -> str:
    return fault(Place(where), error.message)
