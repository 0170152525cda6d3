"""A small contract for the emitters that turn it into Python, Markdown and help."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from codegen.ir import Contract, ErrorSpec, Example, Op, Param

TEXT = {"type": "string", "description": "A text."}

NOTE: dict[str, Any] = {
    "type": "object",
    "description": "A note.",
    "additionalProperties": False,
    "required": ["id"],
    "properties": {
        "id": {"type": "string", "description": "Its id."},
        "from": {"type": "string", "description": "Who wrote it."},
        "colour": {"$ref": "#/$defs/Colour"},
    },
}

FIND = Op(
    name="list_notes",
    group="notes",
    method="GET",
    path="/v1/notes",
    status=200,
    family="rest",
    arguments="flat",
    tool=False,
    title="List notes",
    summary="List notes, newest first",
    description="Lists notes. All filters must match.\nThe second paragraph.",
    scopes=("note:read",),
    public=False,
    writes=False,
    annotations={"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False},
    justifications={},
    declared_errors=("INVALID_CURSOR",),
    errors=("INVALID_CURSOR", "INVALID_PARAMS"),
    parameters=(
        Param("colour", "query", "string", False, {"$ref": "#/$defs/Colour"}, "A colour."),
        Param("limit", "query", "integer", False, {"type": "integer", "minimum": 1, "default": 20}, "Most items."),
        Param("cursor", "query", "string", False, {"type": "string"}, "Where to go on."),
    ),
    body=None,
    media=(),
    produces="application/json",
    location=None,
    links={},
    request_name="ListNotesRequest",
    response_name="ListNotesResponse",
    response_kind="model",
    input_schema={
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "colour": {"$ref": "#/$defs/Colour"},
            "limit": {"type": "integer", "minimum": 1, "default": 20, "description": "Most items."},
            "cursor": {"type": "string", "description": "Where to go on."},
        },
    },
    output_schema={
        "type": "object",
        "additionalProperties": False,
        "required": ["items"],
        "properties": {
            "items": {"type": "array", "items": {"$ref": "#/$defs/Note"}, "description": "The notes."},
            "next_cursor": {"type": "string", "description": "For the next page."},
        },
    },
    examples=(
        Example("red ones", "Only red notes.", (), {"colour": "red", "limit": 5}, {"items": [{"id": "n1"}]}, None),
    ),
    not_kept=(),
    source=Path("contracts/paths/notes.yaml"),
    route_source=Path("contracts/paths/notes.yaml"),
)

SAVE = replace(
    FIND,
    name="save_note",
    method="PUT",
    path="/v1/notes/{note_id}",
    status=201,
    family="recall",
    arguments="data",
    tool=True,
    title="Save a note",
    summary="Save a note",
    description='Saves a note. It says """quoted""" and \\ back.',
    scopes=("note:write",),
    writes=True,
    annotations={"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False},
    justifications={"readOnlyHint": "It writes."},
    declared_errors=("NOT_FOUND",),
    errors=("INVALID_PARAMS", "NOT_FOUND"),
    parameters=(Param("note_id", "path", "string", True, {"type": "string"}, "Which note."),),
    body="*",
    media=("application/json",),
    request_name="SaveNoteRequest",
    response_name="Note",
    input_schema={
        "type": "object",
        "additionalProperties": False,
        "required": ["note_id", "from"],
        "properties": {
            "note_id": {"type": "string", "description": "Which note."},
            "from": {"type": "string", "description": "Who | wrote it.", "maxLength": 20},
            "tags": {"type": "array", "items": TEXT, "uniqueItems": True, "description": "Tags."},
            "extra": {"type": ["object", "null"], "additionalProperties": True, "description": "Anything."},
            "reply_to": {"$ref": "#/$defs/Note", "description": "Another note."},
        },
    },
    output_schema=NOTE,
    examples=(
        Example("it's new", "", (), {"note_id": "a/b", "from": "it's me"}, {"id": "a/b"}, None),
        Example("unknown", "Not <there>.", (), {"note_id": "x", "from": "me"}, None, "NOT_FOUND"),
    ),
)

PATCH = replace(
    SAVE,
    name="patch_all",
    method="PATCH",
    path="/v1/notes",
    status=200,
    family="nexus",
    arguments="flat",
    title="Patch",
    summary="Patch",
    parameters=(),
    body="patch",
    media=("application/merge-patch+json", "application/json"),
    request_name="PatchAllRequest",
    response_name=None,
    response_kind="json",
    input_schema={
        "type": "object",
        "required": ["patch"],
        "properties": {"patch": {"type": "object", "additionalProperties": True, "description": "The patch."}},
    },
    output_schema=None,
    examples=(Example("one", "", (), {"patch": {"a": None}}, {"a": "x" * 300}, None),),
)

PING = replace(
    FIND,
    name="ping",
    group="health",
    path="/health",
    title="",
    summary="Is it there",
    description="",
    scopes=(),
    public=True,
    declared_errors=(),
    errors=("INVALID_PARAMS",),
    parameters=(),
    produces="text/plain; charset=utf-8",
    request_name="PingRequest",
    response_name=None,
    response_kind="text",
    input_schema={"type": "object", "additionalProperties": False, "properties": {}},
    output_schema=None,
    examples=(),
)


def error(code: str, status: int) -> ErrorSpec:
    return ErrorSpec(code, status, False, f"{code} | happened.", "Do something.", "More of it.")


CONTRACT = Contract(
    operations=(FIND, PATCH, PING, SAVE),
    defs={
        "Colour": {"type": "string", "enum": ["red", "blue"], "description": "A colour."},
        "Note": NOTE,
        "Unused": {"type": "object", "description": "Of no operation.", "properties": {"a": TEXT}},
    },
    errors={
        spec.code: spec
        for spec in (error("INVALID_CURSOR", 400), error("INVALID_PARAMS", 422), error("NOT_FOUND", 404))
    },
    scopes={"note:read": "Read notes.", "note:write": "Write notes."},
    groups={"notes": "Notes of people.", "health": "Whether it runs."},
    instructions="",
    info={"title": "Sample", "version": "1.2.3", "summary": "A sample."},
    help={"workflow": {"title": "How", "text": "So."}},
)
