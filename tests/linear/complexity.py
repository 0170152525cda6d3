"""What a document costs in Linear's points, at most.

Linear's rule (https://linear.app/developers/rate-limiting): "Each property is 0.1 point, each object is 1 point and any
connection multiplies its children's points based on the given pagination argument, or the default 50. The score is then
rounded up to the nearest integer." A single query over 10,000 points is refused. Whether a connection itself costs a
point, and whether it multiplies its pageInfo too, is not said: both are counted here, so that a real score is never higher.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLObjectType,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
    get_named_type,
)

from tests.linear.contract import SCHEMA

LIMIT = 10_000
PAGE = 50
LARGEST_PAGE = 250


def complexity(document: DocumentNode, operation: OperationDefinitionNode, variables: Mapping[str, Any]) -> int:
    """Return the points of one operation with these variables, defaults included; directives leave nothing out."""
    root = SCHEMA.get_root_type(operation.operation)
    assert root is not None
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    return ceil(round(_points(operation.selection_set, root, fragments, variables), 6))


def page_size(field: FieldNode, definition: GraphQLField, variables: Mapping[str, Any]) -> int | None:
    """Return how many rows a field asks for, or None where it is no connection."""
    if "first" not in definition.args:
        return None
    value = next((argument.value for argument in field.arguments or () if argument.name.value == "first"), None)
    if isinstance(value, VariableNode):
        size = variables.get(value.name.value)
        return PAGE if size is None else int(size)
    return int(value.value) if isinstance(value, IntValueNode) else PAGE


def _points(
    selections: SelectionSetNode,
    parent: GraphQLObjectType,
    fragments: Mapping[str, FragmentDefinitionNode],
    variables: Mapping[str, Any],
) -> float:
    points = 0.0
    for node in selections.selections:
        if isinstance(node, FragmentSpreadNode):
            points += _points(fragments[node.name.value].selection_set, parent, fragments, variables)
        elif isinstance(node, InlineFragmentNode):
            points += _points(node.selection_set, parent, fragments, variables)
        elif isinstance(node, FieldNode):
            definition = parent.fields.get(node.name.value)
            if definition is None or node.selection_set is None:
                points += 0.1
                continue
            inner = get_named_type(definition.type)
            assert isinstance(inner, GraphQLObjectType)
            times = page_size(node, definition, variables)
            points += 1 + _points(node.selection_set, inner, fragments, variables) * (1 if times is None else times)
    return points
