"""The Markdown reference of a small contract."""

from __future__ import annotations

import re

import pytest

from codegen.emit import reference
from codegen.emit.reference import pretty
from codegen.emit.reference_tables import limits
from tests.codegen.sample import CONTRACT

PAGES = reference.emit(CONTRACT)
NOTES = PAGES["reference/notes.md"]


def test_the_pages():
    names = ("README", "errors", "health", "notes", "schemas")
    assert list(PAGES) == [f"reference/{name}.md" for name in names]


@pytest.mark.parametrize(
    "text",
    [
        "| [`save_note`](#save_note) | `PUT /v1/notes/{note_id}` | yes | `note:write` |",
        "**Save a note** · `PUT /v1/notes/{note_id}` · MCP tool · writes · `note:write`",
        "Lists notes. All filters must match.\n\nThe second paragraph.",
        "| `note_id` | path | string | yes | Which note. |",
        "| `from` | body | string | yes | Who \\| wrote it. *at most 20 characters* |",
        "| `tags` | body | array of string |  | Tags. *no duplicates* |",
        "| `extra` | body | object or null |  | Anything. |",
        "| `reply_to` | body | [Note](schemas.md#note) |  | Another note. |",
        "| `limit` | query | integer |  | Most items. *at least 1; default `20`* |",
        "| [NOT_FOUND](errors.md#not_found) | 404 | Do something. |",
        'curl "$TALLYSTICK_URL/v1/notes?colour=red&limit=5" \\\n  -H "Authorization: Bearer $TALLYSTICK_API_KEY"\n',
        """-d '{"from": "it'"'"'s me"}'""",
        '{"name": "save_note", "arguments": {"data": {"note_id": "a/b", "from": "it\'s me"}}}',
        "Over REST the body is `patch` itself, as `application/merge-patch+json` or `application/json`.",
        "<summary>unknown: Not &lt;there&gt;.</summary>",
        "Answer: `404`, [NOT_FOUND](errors.md#not_found).",
        "(300 characters)",
    ],
)
def test_a_group(text):
    assert text in NOTES


def test_a_public_operation_without_arguments():
    page = PAGES["reference/health.md"]
    assert "**Is it there** · `GET /health` · reads · public" in page
    assert "**Arguments:** none." in page
    assert "`text/plain`" in page


def test_the_index():
    index = PAGES["reference/README.md"]
    assert "| [`save_note`](notes.md#save_note) | Saves a note. |" in index
    assert "| `GET /health` | [`ping`](health.md#ping) | Is it there |" in index
    assert "| `note:read` | Read notes. | [`list_notes`](notes.md#list_notes) |" in index


def test_the_errors():
    page = PAGES["reference/errors.md"]
    assert "| [NOT_FOUND](#not_found) | 404 |  | NOT_FOUND \\| happened. |" in page
    assert "Declared by [`patch_all`](notes.md#patch_all), [`save_note`](notes.md#save_note)." in page
    assert '| `patch_all` | `{"error": true, "message", "code", "suggestion"}` |' in page


def test_every_link_leads_somewhere():
    anchors = {
        page.removeprefix("reference/"): {
            re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        }
        for page, text in PAGES.items()
    }
    links = [
        (page.removeprefix("reference/"), *link)
        for page, text in PAGES.items()
        for link in re.findall(r"\]\(([\w-]*(?:\.md)?)#?([\w-]*)\)", text)
    ]
    assert len(links) > 30
    for page, target, anchor in links:
        assert not anchor or anchor in anchors[target or page], (page, target, anchor)
        assert (target or page) in anchors


def test_layout():
    for text in PAGES.values():
        assert "\n\n\n" not in text
        assert not re.search(r" +\n", text)
        assert text.endswith("\n")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": 1}, '{"a": 1}'),
        ([], "[]"),
        ({"a": "x" * 80, "b": [1, {"c": "é"}]}, '{\n  "a": "' + "x" * 80 + '",\n  "b": [1, {"c": "é"}]\n}'),
    ],
)
def test_json_is_laid_out(value, expected):
    assert pretty(value) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"minimum": 1, "maximum": 50}, ["1 to 50"]),
        ({"minLength": 3, "maxLength": 3}, ["3 characters"]),
        ({"minimum": 0}, []),
        ({"maximum": 0}, ["at most 0"]),
        (
            {"minItems": 1, "uniqueItems": True, "pattern": "a|b"},
            ["at least 1 items", "no duplicates", "pattern `a\\|b`"],
        ),
    ],
)
def test_limits_in_words(schema, expected):
    assert limits(schema) == expected
