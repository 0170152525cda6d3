"""Time that does not pass."""

from __future__ import annotations

import pytest
from tallystick_client import _async_transport, _transport


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that the clients made, none of which took time."""
    taken: list[float] = []

    async def pause(seconds: float) -> None:
        taken.append(seconds)

    monkeypatch.setattr(_transport, "sleep", taken.append)
    monkeypatch.setattr(_async_transport, "sleep", pause)
    return taken
