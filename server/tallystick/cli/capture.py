"""`tallystick import`, `watch` and `hook`: transcripts of agents become sessions."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from .failure import Failure
from .options import add_home, add_json, home_of
from .output import print_json

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID
    from tallystick_client import AsyncTallystick

    from ..capture import Client
    from .summary import Summary

    Source = tuple[Client, Path]

TRANSCRIPTS = (".jsonl", ".json", ".zst")
"""How the names of files end that are told of where they cannot be read."""

NAMES = ("claude-code", "codex", "gemini", "opencode", "cursor", "copilot")


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `import`, `watch` and `hook` to the command line."""
    importing = commands.add_parser(
        "import",
        help="capture transcripts that agents left on this machine",
        description="Reads transcripts, takes secrets out of them and keeps them as sessions. It may be repeated: only what is "
        "new is added, and a run that was stopped goes on where it was.",
    )
    importing.add_argument("path", nargs="?", type=Path, metavar="PATH", help="a transcript or a folder of them")
    importing.add_argument("--client", choices=NAMES, help="only this client's; without PATH from its own place")
    importing.add_argument("--all", action="store_true", help="every client's, each from its own place")
    importing.add_argument(
        "--since", type=_day, metavar="DATE", help="only files changed at or after this date, YYYY-MM-DD"
    )
    importing.add_argument(
        "--limit", type=_count, metavar="N", help="at most so many files of those that are new or changed"
    )
    importing.add_argument("--dry-run", action="store_true", help="read everything and count; keep nothing")
    watching = commands.add_parser(
        "watch",
        help="keep capturing while agents work",
        description="Captures what is there, then whatever agents add, until it is stopped.",
    )
    watching.add_argument("--client", choices=NAMES, help="only this client's; every client's by default")
    hook = commands.add_parser(
        "hook",
        help="capture the session a client's hook tells of on standard input",
        description="To be called as a hook of Claude Code (Stop, SubagentStop, PreCompact, SessionEnd): captures the "
        "session that the JSON on standard input names.",
    )
    hook.add_argument("client", choices=("claude-code",))
    for command, run in ((importing, _import), (watching, _watch), (hook, _hook)):
        add_home(command)
        add_json(command)
        command.set_defaults(run=run)


def _day(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no date such as 2026-05-29") from None


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


def _import(arguments: argparse.Namespace) -> int:
    from .summary import Summary

    summary = Summary()
    sources = _sources(arguments, summary)
    if not sources and not summary.unreadable:
        print("No transcript was found.", file=sys.stderr)
        return 1
    _run(arguments, sources, summary, dry=arguments.dry_run)
    return _report(summary, arguments, dry=arguments.dry_run)


def _watch(arguments: argparse.Namespace) -> int:
    from ..capture import CLIENTS
    from .watching import watch

    clients = [CLIENTS[arguments.client]] if arguments.client else list(CLIENTS.values())
    watch(home_of(arguments), clients, as_json=arguments.json)
    return 0


def _hook(arguments: argparse.Namespace) -> int:
    from ..capture import CLIENTS, claude_code_hook
    from .summary import Summary

    try:
        call = claude_code_hook(sys.stdin.buffer.read(), Path.home())
    except ValueError as error:
        raise Failure(str(error)) from None
    client = CLIENTS[arguments.client]
    summary = Summary()
    _run(arguments, [(client, path) for path in call.sources if os.path.exists(path)], summary, dry=False)
    # Without --json only what failed is said: some hooks' output becomes part of the conversation.
    return _report(summary, arguments) if arguments.json else _refused(summary)


def _sources(arguments: argparse.Namespace, summary: Summary) -> list[Source]:
    """What is to be read; what looks like a transcript and cannot be is noted in the summary."""
    found = [
        source for source in _found(arguments, summary) if not arguments.since or _changed(source[1]) >= arguments.since
    ]
    if arguments.limit is None:
        return found
    from .marks import Marks

    marks = Marks(home_of(arguments))  # what is read already is no step towards the rest
    return list(islice((source for source in found if not marks.unchanged(source[1])), arguments.limit))


def _found(arguments: argparse.Namespace, summary: Summary) -> Iterator[Source]:
    from ..capture import CLIENTS

    chosen = CLIENTS[arguments.client] if arguments.client else None
    if arguments.all and (chosen is not None or arguments.path is not None):
        raise Failure("--all is every client's, each from its own place: leave it out beside --client or a PATH.")
    if arguments.path is not None:
        path = arguments.path.expanduser().absolute()
        if not os.path.exists(path):
            raise Failure(f"There is nothing at {str(path)!r}.")
        yield from _inside(path, chosen, summary) if os.path.isdir(path) else _given(path, chosen)
    elif chosen is not None or arguments.all:
        for client in CLIENTS.values() if chosen is None else [chosen]:
            yield from ((client, path) for path in client.find(Path.home(), os.environ))
    else:
        raise Failure("Say what to import: a PATH, --client NAME, or --all.")


def _given(path: Path, chosen: Client | None) -> Iterator[Source]:
    from ..capture import Unreadable, recognise

    try:
        client = chosen or recognise(path)
    except Unreadable as error:
        raise Failure(str(error)) from None
    if client is None:
        raise Failure(f"{str(path)!r} is no transcript of a client that is known; name it with --client.")
    yield client, path


def _inside(folder: Path, chosen: Client | None, summary: Summary) -> Iterator[Source]:
    from ..capture import Unreadable, recognise

    found: dict[Client, list[Path]] = {}
    for file in sorted(file for file in folder.rglob("*") if os.path.isfile(file)):
        try:
            client = recognise(file) if chosen is None else chosen if chosen.knows(file) else None
        except Unreadable as error:
            if file.suffix in TRANSCRIPTS:
                summary.unreadable.append(str(error))
            continue
        if client is not None:
            found.setdefault(client, []).append(file)
    for client, files in found.items():
        yield from ((client, file) for file in client.distinct(files))


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0  # gone since it was found


def _run(arguments: argparse.Namespace, sources: list[Source], summary: Summary, *, dry: bool) -> None:
    from rich.console import Console
    from rich.progress import Progress

    from .importing import import_source
    from .marks import Marks
    from .records import with_records

    marks = Marks(home_of(arguments))
    console = Console(stderr=True)

    async def work(client: AsyncTallystick | None) -> None:
        with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
            sizes = [_size(path) for _, path in sources]
            task, done = bar.add_task("reading", total=sum(sizes) or None), 0
            for (reader, path), size in zip(sources, sizes, strict=True):
                await import_source(client, reader, path, marks, summary, partial(_advance, bar, task, done))
                done += size
                bar.update(task, completed=done)

    if dry:
        import asyncio

        asyncio.run(work(None))
    else:
        with_records(home_of(arguments), work, stay=True)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _advance(bar: Progress, task: TaskID, done: int, position: int) -> None:
    bar.update(task, completed=done + position)


def _report(summary: Summary, arguments: argparse.Namespace, *, dry: bool = False) -> int:
    if arguments.json:
        print_json(summary.as_dict())
    else:
        print(summary.text(dry=dry))
    return _refused(summary)


def _refused(summary: Summary) -> int:
    for text in summary.unreadable:
        print(f"tallystick: {text}", file=sys.stderr)
    return 1 if summary.unreadable else 0
