"""`tallystick index`: look at the indexes that search uses, and have them made anew, whether or not a server runs."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .failure import Failure
from .options import add_home, add_json, home_of
from .output import print_json, print_table

if TYPE_CHECKING:
    from tallystick_client import AsyncTallystick
    from tallystick_client.models import GetIndexResponse, Rebuild, RebuildIndexResponse

POLL = 0.25  # seconds between two looks at a rebuild
STEPS = {
    "memory_words": "words of memories",
    "memory_trigrams": "exact text of memories",
    "message_words": "words of messages",
    "pages": "pages of the database",
    "renewal": "new vector index",
    "vectors": "vectors of memories",
}


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `index` to the command line."""
    group = commands.add_parser("index", help="look at the indexes that search uses, and make them anew")
    actions = group.add_subparsers(title="actions", metavar="ACTION", required=True)
    status = actions.add_parser("status", help="say how far the indexes are")
    rebuild = actions.add_parser(
        "rebuild",
        help="make all indexes anew from the records",
        description="Makes full text and vector index anew from what is stored, which is not touched, and waits until that is "
        "done. Search goes on meanwhile; writes wait while full text is made. What is interrupted goes on at the next start.",
    )
    rebuild.add_argument(
        "--no-wait", action="store_true", help="ask and return; a running server does it, or else the next start"
    )
    for action, run in ((status, _status), (rebuild, _rebuild)):
        add_home(action)
        add_json(action)
        action.set_defaults(run=run)


def _status(arguments: argparse.Namespace) -> int:
    from .records import with_records

    async def work(client: AsyncTallystick) -> GetIndexResponse:
        return await client.index.get_index()

    found = with_records(home_of(arguments), work)
    if arguments.json:
        _print(found)
        return 0
    rows = (
        ("memories", found.memories.total, found.memories.total - found.memories.behind),
        ("sessions", found.sessions.total, found.sessions.total - found.sessions.behind),
        ("vectors", found.vectors.total, found.vectors.indexed),
    )
    print_table(("", "stored", "indexed"), ((name, str(a), str(b)) for name, a, b in rows), empty="")
    at = f": {_step(found.rebuild)}" if found.rebuild is not None else ""
    print(f"State: {found.state}{at}.{f' {found.error}' if found.error else ''}")
    if found.state == "ready" and found.vectors.total != found.vectors.indexed:
        print("The vector index differs from what is stored. Make it anew: tallystick index rebuild")
    return 0


def _rebuild(arguments: argparse.Namespace) -> int:
    from .records import with_records

    home = home_of(arguments)
    if arguments.no_wait:
        receipt = with_records(home, _ask)
        if arguments.json:
            _print(receipt)
        else:
            print("A rebuild was going on already." if not receipt.started else "The rebuild is noted.", end=" ")
            print("It goes on while a server runs, or at the next start; see: tallystick index status")
        return 0
    found = rebuilt(home)
    if arguments.json:
        _print(found)
        return 0
    print(
        f"The indexes are made anew: {found.memories.total} memories, {found.sessions.total} sessions, "
        f"{found.vectors.indexed} vectors."
    )
    if found.memories.behind or found.sessions.behind:
        print(
            f"{found.memories.behind} memories and {found.sessions.behind} sessions are still to be embedded; "
            "a running server goes on with them."
        )
    return 0


def rebuilt(home: Path) -> GetIndexResponse:
    """Have all indexes of a home made anew, and wait for it, with a bar on a terminal.

    Raises:
        Failure: a step failed, or not all is well afterwards.
    """
    from rich.console import Console
    from rich.progress import Progress

    from .records import with_records

    console = Console(stderr=True)

    async def work(client: AsyncTallystick) -> GetIndexResponse:
        receipt = await _ask(client)
        if not receipt.started:
            print("A rebuild is going on already; waiting for that one.", file=sys.stderr)
        with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
            task = bar.add_task("waiting", total=1)
            while True:
                found = await client.index.get_index()
                if found.rebuild is None or found.rebuild.error is not None:
                    return found
                bar.update(task, description=_step(found.rebuild), completed=_share(found))
                await asyncio.sleep(POLL)

    found = with_records(home, work)
    if found.rebuild is not None:
        raise Failure(f"{_step(found.rebuild)}: {found.rebuild.error}. It will be tried again while a server runs.")
    if found.state == "degraded":
        raise Failure(f"The indexes are made anew, but not all is well: {found.error}")
    return found


async def _ask(client: AsyncTallystick) -> RebuildIndexResponse:
    return await client.index.rebuild_index()


def _step(rebuild: Rebuild) -> str:
    return f"step {rebuild.number} of {rebuild.of}, {STEPS[rebuild.step]}"


def _share(found: GetIndexResponse) -> float:
    """How much of a rebuild is done, from 0 to 1."""
    assert found.rebuild is not None
    filled = found.vectors.indexed / max(1, found.vectors.total) if found.rebuild.step == "vectors" else 0.0
    return (found.rebuild.number - 1 + min(1.0, filled)) / found.rebuild.of


def _print(found: GetIndexResponse | RebuildIndexResponse) -> None:
    print_json(found.model_dump(mode="json", exclude_none=True))
