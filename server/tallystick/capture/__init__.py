"""Readers of the transcripts that agents keep on disk: streaming, tolerant, and pure but for the file they read.

`CLIENTS[name].find(home, environ)` gives the transcripts, `.read(path, resume=mark)` their events; how an importer
feeds them to a store in batches and goes on later is told at `Client`. `recognise(path)` names the client of a file
that was found elsewhere.
"""

from __future__ import annotations

from pathlib import Path

from . import claude_code, codex, copilot, cursor, gemini, opencode
from .client import Client
from .hook import HookCall
from .hook import claude_code as claude_code_hook
from .records import (
    START,
    CapturedMessage,
    CapturedSession,
    Event,
    Mark,
    Reached,
    Reason,
    Skipped,
    Unreadable,
    Whole,
    Withdrawn,
)

CLIENTS: dict[str, Client] = {
    module.CLIENT.name: module.CLIENT for module in (claude_code, codex, gemini, opencode, cursor, copilot)
}


def recognise(path: Path) -> Client | None:
    """The client whose transcript a file is, by its name and its first record; None when it is of none.

    Raises:
        Unreadable: it cannot be read.
    """
    return next((client for client in CLIENTS.values() if client.knows(path)), None)


__all__ = [
    "CLIENTS",
    "START",
    "CapturedMessage",
    "CapturedSession",
    "Client",
    "Event",
    "HookCall",
    "Mark",
    "Reached",
    "Reason",
    "Skipped",
    "Unreadable",
    "Whole",
    "Withdrawn",
    "claude_code_hook",
    "recognise",
]
