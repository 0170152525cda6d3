"""The Python client that is generated from a small contract."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.emit import client
from codegen.emit.client_calls import annotation, paragraphs
from tests.codegen.sample import CONTRACT

FILES = client.emit(CONTRACT)
SYNC = FILES["python-client/tallystick_client/_client.py"]
ASYNC = FILES["python-client/tallystick_client/_async_client.py"]


def flat(text: str) -> str:
    """Without line breaks and trailing commas, so that a test does not depend on the layout."""
    return re.sub(r",(?=[)\]}])", "", re.sub(r"(?<=[(\[{])\s+|\s+(?=[)\]}])", "", re.sub(r"\s+", " ", text)))


def test_the_files():
    assert sorted(file.removeprefix("python-client/") for file in FILES) == [
        "README.md",
        *(
            f"tallystick_client/{name}"
            for name in (
                *("__init__.py", "_async_client.py", "_async_transport.py", "_base.py", "_client.py", "_transport.py"),
                *("_wire.py", "errors.py", "models.py", "py.typed"),
            )
        ),
    ]


@pytest.mark.parametrize(
    "line",
    [
        'def list_notes(self, *, colour: Literal["red", "blue"] | Omitted = OMIT, limit: int | Omitted = OMIT,'
        " cursor: str | Omitted = OMIT) -> models.ListNotesResponse:",
        'Call("GET", "/v1/notes", query={"colour": colour, "limit": limit, "cursor": cursor})',
        'def iter_notes(self, *, colour: Literal["red", "blue"] | Omitted = OMIT, limit: int | Omitted = OMIT)'
        " -> Iterator[models.Note]:",
        "page = self.list_notes(colour=colour, limit=limit, cursor=cursor)",
        "def save_note(self, *, note_id: str, from_: str, tags: Sequence[str] | Omitted = OMIT,"
        " extra: Mapping[str, Any] | None | Omitted = OMIT, reply_to: models.Note | Omitted = OMIT,"
        " idempotency_key: str | None = None) -> models.Note:",
        'Call("PUT", f"/v1/notes/{segment(note_id)}", body={"from": from_, "tags": tags, "extra": extra,'
        ' "reply_to": reply_to}, writes=True, key=idempotency_key)',
        "def patch_all(self, *, patch: Mapping[str, Any], idempotency_key: str | None = None) -> Any:",
        'self._transport.json(Call("PATCH", "/v1/notes", body=patch, media="application/merge-patch+json", writes=True,'
        " key=idempotency_key))",
        "def ping(self) -> str:",
        'self._transport.text(Call("GET", "/health", accept="text/plain"))',
        "self.notes = Notes(transport)",
        "limit: Most items. Default: 20.",
        "Needs note:read. Raises InvalidCursor, among others.",
    ],
)
def test_the_methods(line):
    assert line in flat(SYNC)


def test_a_docstring_survives_quotes_and_backslashes():
    (notes,) = [node for node in ast.walk(ast.parse(SYNC)) if isinstance(node, ast.ClassDef) and node.name == "Notes"]
    (save,) = [node for node in notes.body if isinstance(node, ast.FunctionDef) and node.name == "save_note"]
    assert (ast.get_docstring(save) or "").startswith('Saves a note. It says """quoted""" and \\ back.')


def test_the_asynchronous_client_is_the_same_with_await():
    words = (("AsyncIterator", "Iterator"), ("asynchronous", "synchronous"), ("an `async with`", "a `with`"))
    text = ASYNC.replace("_async_transport", "_transport").replace("async def", "def").replace("await ", "")
    for there, here in words:
        text = text.replace(there, here)
    text = text.replace("AsyncBase", "Base").replace("Async", "").replace("__aenter__", "__enter__")
    text = text.replace("__aexit__", "__exit__")
    text = re.sub(r"for item in page\.items:\n\s+yield item", "yield from page.items", text)
    assert flat(text) == flat(SYNC)


def test_the_models_are_those_of_answers_and_forbid_nothing():
    text = FILES["python-client/tallystick_client/models.py"]
    classes = re.findall(r"^class (\w+)\(Model\)", text, re.MULTILINE)
    assert sorted(classes) == ["ListNotesResponse", "Note"]
    assert "forbid" not in text


def test_one_class_a_code():
    text = FILES["python-client/tallystick_client/errors.py"]
    assert re.findall(r"^class (\w+)\(ApiError\)", text, re.MULTILINE) == ["InvalidCursor", "InvalidParams", "NotFound"]
    assert '"NOT_FOUND": NotFound' in text


def test_the_version_is_the_contracts():
    assert 'USER_AGENT = "tallystick-client/1.2.3"' in FILES["python-client/tallystick_client/_wire.py"]


def test_the_readme_lists_methods_and_errors():
    readme = FILES["python-client/README.md"]
    assert "| `list_notes` | List notes, newest first |\n| `iter_notes` | All items of `list_notes`. |" in readme
    assert "| `NotFound` | NOT_FOUND | 404 |" in readme


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "number"}, "float"),
        ({"type": ["string", "null"]}, "str | None"),
        ({"const": "x"}, "Literal['x']"),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "string"}]}, "str | int"),
        ({"type": "array", "items": {"$ref": "#/$defs/Note"}}, "Sequence[models.Note]"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "Mapping[str, int]"),
        ({}, "Any"),
    ],
)
def test_annotations(schema, expected):
    assert annotation(schema, CONTRACT.defs) == expected


@pytest.mark.parametrize(("text", "expected"), [("a\nb\n", ["a", "b"]), ("a\nb\n\nc\n", ["a b", "c"]), ("", [])])
def test_paragraphs_of_folded_and_literal_texts(text, expected):
    assert paragraphs(text) == expected


def test_the_package_passes_mypy_strict_and_works(tmp_path: Path):
    for file, text in FILES.items():
        path = tmp_path / file.removeprefix("python-client/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    use = tmp_path / "use.py"
    use.write_text(
        "from typing import TYPE_CHECKING\n"
        "import httpx\n"
        "from tallystick_client import Tallystick\n"
        "note = {'id': 'n1', 'from': 'me', 'later': 1}\n"
        "answer = httpx.MockTransport(lambda request: httpx.Response(200, json=note))\n"
        "with Tallystick('http://notes.test', 'key', transport=answer) as client:\n"
        "    saved = client.notes.save_note(note_id='n1', from_='me')\n"
        "assert (saved.id, saved.from_) == ('n1', 'me')\n"
        # --strict also refuses an `ignore` that ignores nothing: each of these has to be seen as wrong.
        "if TYPE_CHECKING:\n"
        "    client.notes.save_note(note_id='n1', from_='me', form='x')  # type: ignore[call-arg]\n"
        "    client.notes.save_note(note_id='n1')  # type: ignore[call-arg]\n"
        "    client.notes.list_notes(colour='green')  # type: ignore[arg-type]\n"
        "    client.notes.list_notes(limit='5')  # type: ignore[arg-type]\n"
        "    client.notes.save_note(note_id='n1', from_=None)  # type: ignore[arg-type]\n",
        "utf-8",
    )
    options = ["--strict", "--no-incremental", "--config-file="]
    check = [sys.executable, "-m", "mypy", *options, "use.py", "tallystick_client"]
    for command in (check, [sys.executable, "use.py"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
