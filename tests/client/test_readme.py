"""Every code block of the client's README runs against a server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.live import Live

README = Path("generated/python-client/README.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_there_are_blocks():
    assert len(BLOCKS) == 3


@pytest.mark.parametrize("block", BLOCKS)
def test_block(block: str, live: Live, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TALLYSTICK_API_KEY", live.key(user="readme"))
    address = "http://127.0.0.1:8765"
    assert address in block
    exec(compile(block.replace(address, live.url), "README.md", "exec"), {"__name__": "__main__"})
    if "NotFound" in block:
        assert "mem_unknown" in capsys.readouterr().out
