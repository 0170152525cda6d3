"""The loop of `make torture`, short and with the real model."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.torture.leaks import leave
from tests.torture.loop import torture


def test_killed_servers_lose_nothing_they_acknowledged(tmp_path: Path) -> None:
    report = torture(tmp_path, kills=4, writes=160, seed=1, cheap=False, sample=20, say=print)
    assert report.sound, str(report)
    assert report.verdict() == "0 lost, 0 stale, indexes agree"


@pytest.mark.skipif(sys.platform != "linux", reason="what is left is looked for in /proc")
def test_bridges_leave_nothing_behind(tmp_path: Path) -> None:
    report = leave(tmp_path, bridges=20, seed=1, cheap=False, say=print)
    assert report.sound, str(report)
