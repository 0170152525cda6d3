"""Transcripts into sessions: streams a source through its reader, batch by batch; goes on where it stopped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from ..capture import START, Client, Event, Reached, Unreadable
from .keeping import Erased, Keeper
from .marks import Marks, Moved, signature
from .summary import Summary

if TYPE_CHECKING:
    from tallystick_client import AsyncTallystick


async def import_source(
    client: AsyncTallystick | None,
    reader: Client,
    source: Path,
    marks: Marks,
    summary: Summary,
    progress: Callable[[int], None] = lambda position: None,
) -> None:
    """Read one source from its mark on and keep what it holds.

    Args:
        client: where sessions are posted; None only counts, from the beginning (a dry run).
        reader: of the client whose transcript it is.
        source: the file or database.
        marks: read and moved on; where another process moves this one's meanwhile, the source is read on from there.
        summary: is added to.
        progress: is told how many bytes have been looked at.

    Raises:
        TallystickError: the server cannot be reached or keeps nothing now. What it refuses for good is noted in the summary.
    """
    from tallystick_client.errors import Conflict, InvalidParams, PayloadTooLarge

    while True:
        if client is not None and marks.unchanged(source):
            summary.unchanged += 1
            return
        before = signature(source)
        try:
            await _read(client, reader, source, marks, summary, progress)
            summary.sources += 1
            if client is not None:
                marks.finish(source, before)
        except Moved:
            continue
        except Unreadable as error:
            summary.unreadable.append(str(error))
        except (InvalidParams, Conflict, PayloadTooLarge) as error:
            refused = Unreadable(f"{source} is kept up to where the server refused it: {error.message}")
            summary.unreadable.append(str(refused))
        return


async def _read(
    client: AsyncTallystick | None,
    reader: Client,
    source: Path,
    marks: Marks,
    summary: Summary,
    progress: Callable[[int], None],
) -> None:
    batch: list[Event] = []
    mark = marks.of(source) if client is not None else START
    keeper = Keeper(client, summary, rest=bool(mark.line))
    for event in reader.read(source, resume=mark):
        if not isinstance(event, Reached):
            batch.append(event)
            continue
        try:
            with nullcontext() if client is None else marks.move(source, mark, event.resume):
                await keeper.keep(batch)
        except Erased:
            with marks.move(source, mark, START):  # it comes back whole, or not at all
                pass
            raise Moved(source) from None
        mark = event.resume
        batch.clear()
        progress(event.position)
