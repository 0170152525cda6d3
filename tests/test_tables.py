"""Tables of the command line on narrow and wide terminals."""

from __future__ import annotations

import pytest
from tallystick.cli.output import print_table

ID = "mem_01JABCDEFGHJKMNPQRSTVWXYZ0"
ROWS = [(ID, "2026-12-07 10:00:00", "summary", "active", "Decided on PostgreSQL [bold] for 用户")]


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_nothing_is_cut(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes the output for a terminal
    monkeypatch.setenv("COLUMNS", str(width))
    print_table(("id", "created", "kind", "status", "title"), ROWS, empty="none")
    said = capsys.readouterr().out
    assert ID in said
    assert "PostgreSQL [bold] for" in said
    assert ("title" in said) == (width > 100)
