"""JSON with comments: what was there stays, character by character."""

from __future__ import annotations

import pytest
from tallystick.connect.jsonc import Jsonc

PATH = ("servers", "t")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "servers": {\n    "t": 1\n  }\n}\n'),
        (" \n", '{\n  "servers": {\n    "t": 1\n  }\n}\n'),
        ("// mine\n", '// mine\n{\n  "servers": {\n    "t": 1\n  }\n}\n'),
        ("{}", '{\n  "servers": {\n    "t": 1\n  }\n}'),
        ('{"servers": null}', '{"servers": {\n  "t": 1\n}}'),
        ('{"a":1}', '{"a":1, "servers": {"t": 1}}'),
        ('{ "a": [1] /* b */ }\n', '{ "a": [1], /* b */ "servers": {"t": 1} }\n'),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"servers": {\n\t\t"t": 1\n\t}\n}'),
        ('{\r\n    "a": 1\r\n}\r\n', '{\r\n    "a": 1,\r\n    "servers": {\r\n        "t": 1\r\n    }\r\n}\r\n'),
        ('{\n  "servers": {}\n}', '{\n  "servers": {\n    "t": 1\n  }\n}'),
        ('{\n  "servers": { // none\n  }\n}', '{\n  "servers": { // none\n    "t": 1\n  }\n}'),
        (
            '{\n  "servers": {\n    "a": 1 // "b": 2, }\n    /* end */\n  },\n}',
            '{\n  "servers": {\n    "a": 1, // "b": 2, }\n    /* end */\n    "t": 1\n  },\n}',
        ),
        (
            '{\n  "servers": {\n    "a": 1, // last\n  }, // x\n}',
            '{\n  "servers": {\n    "a": 1, // last\n    "t": 1,\n  }, // x\n}',
        ),
        ('{ "servers": { "a": 1, // x\n} }', '{ "servers": { "a": 1, // x\n  "t": 1,\n} }'),
        ('\ufeff{"servers": {"t": 2}} // é', '\ufeff{"servers": {"t": 1}} // é'),
        ('{"servers": {"t": 2, "t": 3}}', '{"servers": {"t": 2, "t": 1}}'),
        ('{"servers": {"\\u0074": 2}}', '{"servers": {"\\u0074": 1}}'),
    ],
)
def test_a_value_is_put_where_it_belongs(before: str, after: str) -> None:
    document = Jsonc(before)
    document.set(PATH, 1)
    assert document.text == after
    assert document.get(PATH) == 1
    document.set(PATH, 1)
    assert document.text == after


def test_a_value_keeps_to_one_line_where_the_old_one_did() -> None:
    document = Jsonc('{\n  "one": ["a"],\n  "many": [\n    "a"\n  ]\n}')
    document.set(("one",), ["b", "c"])
    document.set(("many",), ["b"])
    assert document.text == '{\n  "one": ["b", "c"],\n  "many": [\n    "b"\n  ]\n}'


def test_lists_are_added_to() -> None:
    document = Jsonc('{\n  "a": [\n    {"b": 1}, // one\n  ]\n}')
    document.set(("a", 1), {"b": 2})
    document.set(("a", 0, "b"), 3)
    document.set(("c", 0), "x")
    assert document.get(()) == {"a": [{"b": 3}, {"b": 2}], "c": ["x"]}
    assert '{"b": 3}, // one\n' in document.text
    assert (document.get(("a", 5)), document.get(("a", 0, "b", "c"))) == (None, None)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"),
        ('{\n  // a\n  "b": }', "line 3, column 8"),
        ('{"a": 1,,}', "line 1, column 9"),
        ("{ /* a", "line 1"),
        ("\n[]", "line 2: an object was expected"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_json_is_refused_with_the_place(text: str, where: str) -> None:
    with pytest.raises(ValueError, match=where):
        Jsonc(text)


@pytest.mark.parametrize(
    ("path", "where"), [(("a", "b"), "line 2: a was expected to be an object"), (("c", 0), "line 3: c .* a list")]
)
def test_something_else_on_the_way_is_refused(path: tuple[str | int, ...], where: str) -> None:
    document = Jsonc('{\n  "a": [],\n  "c": {}\n}')
    with pytest.raises(ValueError, match=where):
        document.set(path, 1)
