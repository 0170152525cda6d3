"""What `tallystick watch` does: capture whatever transcripts have changed, client by client, until told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from watchfiles import awatch

from ..capture import Client
from ..home import HomeInvalid
from ..owner import OwnerMissing
from .failure import Failure
from .importing import import_source
from .marks import Marks, Signature, signature
from .output import print_json
from .records import with_records
from .summary import Summary

if TYPE_CHECKING:
    from tallystick_client import AsyncTallystick

LOOK = 1.0
"""Seconds between two looks at what is due."""

RESCAN = 60.0
"""Seconds after which a client's place is looked at though nothing was told: on network disks nothing is."""

SHARE = 20
"""A client's transcripts are left alone for so many times as long as their last capture took: some editors change a
database of gigabytes all the time."""

AGAIN = 10.0
"""Seconds until a capture that failed is tried again."""


class _Stopping(Exception):
    pass


class Watched:
    """One client's transcripts: which were captured as they are, and when to look again.

    Attributes:
        touched: whether something has happened in its place since the last look.
        told: what was said of unreadable ones, which are tried again and again.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.roots = client.roots(Path.home(), os.environ)
        self.touched = True
        self._due = 0.0
        self._rescan = 0.0
        self._seen: dict[Path, Signature] = {}
        self.told: set[str] = set()

    @property
    def due(self) -> bool:
        now = time.monotonic()
        return now >= self._due and (self.touched or now >= self._rescan)

    def postpone(self, seconds: float) -> None:
        """Look again, but not before."""
        self.touched, self._due = True, time.monotonic() + seconds

    async def capture(self, server: AsyncTallystick, marks: Marks, going_on: Callable[[int], None]) -> Summary:
        """Read on in what has changed since the last time.

        Args:
            server: where it is kept.
            marks: how far each file was read.
            going_on: called after each batch that was kept; what it raises ends the capture there.
        """
        started, summary = time.monotonic(), Summary()
        self.touched = False
        for path in self.client.find(Path.home(), os.environ):
            found = signature(path)
            if found != self._seen.get(path):
                amiss = len(summary.unreadable)
                await import_source(server, self.client, path, marks, summary, going_on)
                if len(summary.unreadable) == amiss:  # what could not be read may be readable the next time, unchanged
                    self._seen[path] = found
        ended = time.monotonic()
        self._due, self._rescan = ended + SHARE * (ended - started), ended + RESCAN
        return summary


def watch(home: Path, clients: Iterable[Client], *, as_json: bool) -> None:
    """Capture until SIGINT or SIGTERM.

    Args:
        home: where the sessions are kept; its server is used, or started.
        clients: whose transcripts.
        as_json: print one JSON object for each capture that found something, instead of a line.
    """
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_watch(home, [Watched(client) for client in clients], as_json))


async def _watch(home: Path, watched: list[Watched], as_json: bool) -> None:
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows: the interrupt comes as an exception
            asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    marks = Marks(home)
    noticing = asyncio.create_task(_notice(watched, stopping))
    _say("Watching the transcripts of " + ", ".join(one.client.name for one in watched) + ".")
    while not stopping.is_set():
        for one in watched:
            if one.due and not stopping.is_set():
                await asyncio.to_thread(_capture, home, one, marks, stopping, as_json)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), LOOK)
    await noticing


async def _notice(watched: list[Watched], stopping: asyncio.Event) -> None:
    """Mark the clients in whose folders something happens; folders that come later are taken up when they are there."""
    roots: list[Path] = []
    while not stopping.is_set():
        before, roots = roots, _there(watched)
        _touch(watched, [root for root in roots if root not in before])
        if not roots:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), LOOK)
            continue
        async for changes in awatch(
            *roots, watch_filter=None, stop_event=stopping, rust_timeout=round(LOOK * 1000), yield_on_timeout=True
        ):
            _touch(watched, [Path(path) for _, path in changes])
            if _there(watched) != roots:
                break


def _there(watched: list[Watched]) -> list[Path]:
    return [root for one in watched for root in one.roots if root.is_dir()]


def _touch(watched: list[Watched], changed: list[Path]) -> None:
    for one in watched:
        if any(path.is_relative_to(root) for path in changed for root in one.roots):
            one.touched = True


def _capture(home: Path, one: Watched, marks: Marks, stopping: asyncio.Event, as_json: bool) -> None:
    """One capture, told of where it found something; what fails is told and tried again."""

    def going_on(_: int) -> None:
        if stopping.is_set():
            raise _Stopping

    try:
        summary = with_records(home, lambda server: one.capture(server, marks, going_on), stay=True)
    except _Stopping:
        return
    except (Failure, HomeInvalid, OwnerMissing, OSError) as error:  # the last: a folder that cannot be listed now
        _say(str(error))
        one.postpone(AGAIN)
        return
    for text in summary.unreadable:
        if text not in one.told:
            one.told.add(text)
            _say(text)
    if summary.new or summary.changed or summary.removed:
        if as_json:
            print_json({"client": one.client.name, **summary.as_dict()}, lines=True)
        else:
            print(f"{one.client.name}: {summary.text()}")
        sys.stdout.flush()


def _say(text: str) -> None:
    print(f"tallystick: {text}", file=sys.stderr, flush=True)
