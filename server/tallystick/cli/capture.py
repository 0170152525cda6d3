"""`tallystick import` and `tallystick hook`: transcripts of agents become sessions."""

from __future__ import annotations

import argparse
import os
import sys
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from .failure import Failure
from .options import add_home, add_json, home_of
from .output import print_json

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID
    from tallystick_client import AsyncTallystick

    from ..capture import Client
    from .importing import Summary

    Source = tuple[Client, Path]

NAMES = ("claude-code", "codex", "gemini", "opencode", "cursor", "copilot")


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `import` and `hook` to the command line."""
    importing = commands.add_parser(
        "import",
        help="capture transcripts that agents left on this machine",
        description="Reads transcripts, takes secrets out of them and keeps them as sessions. It may be repeated: only what is "
        "new is added, and a run that was stopped goes on where it was.",
    )
    importing.add_argument("path", nargs="?", type=Path, metavar="PATH", help="a transcript or a folder of them")
    importing.add_argument("--client", choices=NAMES, help="only this client's; without PATH from its own place")
    importing.add_argument("--all", action="store_true", help="every client's, each from its own place")
    importing.add_argument("--since", metavar="DATE", help="only files changed at or after this date, YYYY-MM-DD")
    importing.add_argument("--limit", type=int, metavar="N", help="at most so many files")
    importing.add_argument("--dry-run", action="store_true", help="read and count; keep nothing")
    hook = commands.add_parser("hook", help="capture the session a client's hook tells of on standard input")
    hook.add_argument("client", choices=("claude-code",))
    for command, run in ((importing, _import), (hook, _hook)):
        add_home(command)
        add_json(command)
        command.set_defaults(run=run)


def _import(arguments: argparse.Namespace) -> int:
    sources = _sources(arguments)
    if not sources:
        print("No transcript was found.", file=sys.stderr)
        return 1
    return _report(_run(arguments, sources, dry=arguments.dry_run), arguments)


def _hook(arguments: argparse.Namespace) -> int:
    from ..capture import CLIENTS, claude_code_hook

    try:
        call = claude_code_hook(sys.stdin.buffer.read(), Path.home())
    except ValueError as error:
        raise Failure(str(error)) from None
    client = CLIENTS[arguments.client]
    return _report(_run(arguments, [(client, path) for path in call.sources if path.exists()], dry=False), arguments)


def _sources(arguments: argparse.Namespace) -> list[Source]:
    from ..capture import CLIENTS, recognise

    found: list[Source] = []
    if arguments.path is not None:
        path = arguments.path.expanduser().absolute()
        if not path.exists():
            raise Failure(f"There is nothing at {str(path)!r}.")
        files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        chosen = CLIENTS[arguments.client] if arguments.client else None
        for file in files:
            client = chosen if chosen is not None and (file == path or chosen.knows(file)) else recognise(file)
            if client is not None and (chosen is None or client is chosen):
                found.append((client, file))
        if not found and not path.is_dir():
            raise Failure(f"{str(path)!r} is no transcript of a client that is known; name it with --client.")
    elif arguments.client or arguments.all:
        wanted = [CLIENTS[arguments.client]] if arguments.client else list(CLIENTS.values())
        found = [(client, path) for client in wanted for path in client.find(Path.home(), os.environ)]
    else:
        raise Failure("Say what to import: a PATH, --client NAME, or --all.")
    if arguments.since:
        since = _day(arguments.since)
        found = [(client, path) for client, path in found if path.stat().st_mtime >= since]
    return found[: arguments.limit] if arguments.limit is not None else found


def _day(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise Failure(f"--since takes a date such as 2026-05-29, not {text!r}.") from None


def _run(arguments: argparse.Namespace, sources: list[Source], *, dry: bool) -> Summary:
    from rich.console import Console
    from rich.progress import Progress

    from .importing import Marks, Summary, import_source
    from .records import with_records

    summary, marks = Summary(), Marks(home_of(arguments))
    console = Console(stderr=True)

    async def work(client: AsyncTallystick | None) -> None:
        with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
            task = bar.add_task("reading", total=sum(path.stat().st_size for _, path in sources) or None)
            done = 0
            for reader, path in sources:
                size = path.stat().st_size
                await import_source(client, reader, path, marks, summary, partial(_advance, bar, task, done))
                done += size
                bar.update(task, completed=done)

    if dry:
        import asyncio

        asyncio.run(work(None))
    else:
        with_records(home_of(arguments), work)
    return summary


def _advance(bar: Progress, task: TaskID, done: int, position: int) -> None:
    bar.update(task, completed=done + position)


def _report(summary: Summary, arguments: argparse.Namespace) -> int:
    if arguments.json:
        print_json(summary.as_dict())
    else:
        print(
            f"{len(summary.sessions)} sessions in {summary.sources} files: {summary.new} messages new, {summary.known} known, "
            f"{summary.changed} changed, {summary.removed} withdrawn."
        )
        for title, counts in (("Left out or altered", summary.skipped), ("Secrets taken out", summary.redacted)):
            if counts:
                print(f"{title}: {', '.join(f'{name} {number}' for name, number in counts.most_common())}.")
    for text in summary.unreadable:
        print(f"tallystick: {text}", file=sys.stderr)
    return 1 if summary.unreadable else 0
