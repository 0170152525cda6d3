"""contracts/linear holds what the integration needs, in Linear's own words, and no way to destroy anything."""

from __future__ import annotations

import re

import pytest
from graphql import (
    FieldNode,
    GraphQLInputObjectType,
    GraphQLObjectType,
    IntValueNode,
    OperationDefinitionNode,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    get_operation_ast,
    validate,
    validate_schema,
    visit,
)

from tests.linear.complexity import LARGEST_PAGE, LIMIT, complexity, page_size
from tests.linear.contract import DOCUMENTS, FILES, FOLDER, SCHEMA, SCHEMA_TEXT, WHOLE

DESTROYS = re.compile(r"delete|archive|trash|remove|purge|destroy|erase|merge|revoke|suspend|retire", re.IGNORECASE)


def definition(operation: str) -> OperationDefinitionNode:
    found = get_operation_ast(DOCUMENTS[operation])
    assert found is not None
    return found


def defaults(operation: str) -> dict[str, int]:
    """The values that variables have when they are left out."""
    nodes = definition(operation).variable_definitions or ()
    return {
        node.variable.name.value: int(node.default_value.value)
        for node in nodes
        if isinstance(node.default_value, IntValueNode)
    }


def test_the_schema_is_valid() -> None:
    assert validate_schema(SCHEMA) == []


@pytest.mark.parametrize("operation", DOCUMENTS)
def test_a_document_is_valid(operation: str) -> None:
    assert validate(SCHEMA, DOCUMENTS[operation]) == []


def test_every_fragment_is_used() -> None:
    assert validate(SCHEMA, WHOLE) == []


@pytest.mark.parametrize("operation", DOCUMENTS)
def test_the_largest_page_stays_under_the_limit(operation: str) -> None:
    """The default of $first is the largest page that is asked for, so a document that has one says the worst itself."""
    node = definition(operation)
    names = {variable.variable.name.value for variable in node.variable_definitions or ()}
    assert ("first" in names) == ("first" in defaults(operation)), "give $first a default: the largest page"
    assert complexity(DOCUMENTS[operation], node, defaults(operation)) < LIMIT


def test_every_connection_says_how_many_rows() -> None:
    """Linear counts a connection without `first` as 50, and gives no page over 250."""
    info = TypeInfo(SCHEMA)

    class Pages(Visitor):
        def enter_field(self, node: FieldNode, *_: object) -> None:
            found = info.get_field_def()
            if found is not None and "first" in found.args:
                assert any(argument.name.value == "first" for argument in node.arguments or ()), node.name.value
                assert (page_size(node, found, {"first": 1}) or 0) <= LARGEST_PAGE

    visit(WHOLE, TypeInfoVisitor(info, Pages()))
    assert all(size <= LARGEST_PAGE for operation in DOCUMENTS for size in defaults(operation).values())


def test_the_schema_holds_only_what_is_used() -> None:
    info = TypeInfo(SCHEMA)
    used: set[str] = set()

    class Fields(Visitor):
        def enter_field(self, node: FieldNode, *_: object) -> None:
            used.add(f"{info.get_parent_type()}.{node.name.value}")

    visit(WHOLE, TypeInfoVisitor(info, Fields()))
    types = [kind for kind in SCHEMA.type_map.values() if isinstance(kind, GraphQLObjectType) and kind.name[0] != "_"]
    assert {f"{kind.name}.{name}" for kind in types for name in kind.fields} - used == set()


def test_nothing_destroys() -> None:
    """Half of the proof that nothing can be deleted through Tallystick; the other half reads the tools."""
    mutation = SCHEMA.mutation_type
    assert mutation is not None
    assert set(mutation.fields) == {
        "attachmentCreate", "commentCreate", "issueCreate", "issueLabelCreate", "issueLabelUpdate", "issueUpdate",
        "projectCreate",
    }  # fmt: skip
    names = set(SCHEMA.type_map) | set(DOCUMENTS)
    for kind in SCHEMA.type_map.values():
        if isinstance(kind, GraphQLObjectType) and kind.name[0] != "_":
            names |= set(kind.fields) | {name for field in kind.fields.values() for name in field.args}
        if isinstance(kind, GraphQLInputObjectType):
            names |= set(kind.fields)
    assert [name for name in sorted(names) if DESTROYS.search(name)] == []
    words = " ".join([SCHEMA_TEXT, *(path.read_text("utf-8") for path in FILES)])
    assert re.findall(r"\w*(?:delete|archive|trash)\w*", words, re.IGNORECASE) == []


def test_creates_take_an_id_of_ours() -> None:
    """What makes a create that is sent again harmless; an attachment's key is its URL."""
    for name in ("IssueCreateInput", "CommentCreateInput", "IssueLabelCreateInput", "ProjectCreateInput"):
        kind = SCHEMA.type_map[name]
        assert isinstance(kind, GraphQLInputObjectType)
        assert "id" in kind.fields, name


def test_the_licence_is_kept() -> None:
    assert "Copyright (c) 2019 Linear" in (FOLDER / "LICENSE").read_text("utf-8")
    assert "Copyright (c) 2019 Linear" in SCHEMA_TEXT
