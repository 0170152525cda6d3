"""TOML: what was there stays, character by character."""

from __future__ import annotations

import pytest
from tallystick.connect.toml import Toml

PATH = ("mcp_servers", "t")
TABLE = '[mcp_servers.t]\ncommand = "x"\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", TABLE),
        ("# mine\n", f"# mine\n\n{TABLE}"),
        ('a = "b" # c', f'a = "b" # c\n{TABLE}'),
        ('[p."/a/b"] # c\nx = 1 # d\n', f'[p."/a/b"] # c\nx = 1 # d\n\n{TABLE}'),
        (
            '[mcp_servers.a]\ncommand = "a" # c\n\n# d\n[tui]\nx=1\n',
            f'[mcp_servers.a]\ncommand = "a" # c\n\n# d\n\n{TABLE}\n[tui]\nx=1\n',
        ),
        (
            'mcp_servers = { a = { command = "a" } } # c\n',
            'mcp_servers = { a = { command = "a" }, t = {command = "x"}} # c\n',
        ),
        ("a = 1\r\n\r\n[b]\r\n", "a = 1\r\n\r\n[b]\r\n\r\n" + TABLE.replace("\n", "\r\n")),
        ("\ufeffa = 1\n", f"\ufeffa = 1\n\n{TABLE}"),
    ],
)
def test_a_table_is_added(before: str, after: str) -> None:
    document = Toml(before)
    document.set(PATH, {"command": "x"})
    assert document.text == after
    assert document.get(PATH) == {"command": "x"}


def test_a_value_is_changed_in_its_place() -> None:
    text = '[mcp_servers.t]\n# why\ncommand = "a" # here\n\n[tui]\n\n[mcp_servers.b]\ncommand = "b"\n'
    document = Toml(text)
    document.set((*PATH, "command"), "x")
    assert document.text == text.replace('"a"', '"x"')


def test_what_is_no_toml_is_refused_with_the_place() -> None:
    with pytest.raises(ValueError, match="line 2, column 5"):
        Toml("a = 1\nb = \n")
    with pytest.raises(ValueError, match="mcp_servers was expected to be a table"):
        Toml("mcp_servers = 3\n").set(PATH, {})
