"""`tallystick backup` and `restore`: the database of a home as one file."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..home import make_home
from ..owner import find
from .failure import Failure
from .options import add_home, add_json, home_of
from .output import confirm, print_json

SHOWN = {
    "memories": "memories",
    "revisions": "revisions",
    "sessions": "sessions",
    "messages": "messages",
    "keys": "keys",
}


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `backup` and `restore` to the command line."""
    backup = commands.add_parser(
        "backup",
        help="copy the database into one file, while the server serves",
        description="Copies the database of the home into one file and looks whether the copy is sound and has every record. "
        "The server goes on serving. The vector index is derived and not part of it.",
    )
    backup.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="a new file, or a folder (default: the home's own backups)"
    )
    restore = commands.add_parser(
        "restore",
        help="put a backup in the place of the database",
        description="Puts a backup in the place of the home's database, which is kept as a backup first. No server may run. "
        "Keys are those of the backup, and what was erased after it was taken is back.",
    )
    restore.add_argument("file", type=Path, metavar="FILE", help="the backup; it stays as it is")
    restore.add_argument("--yes", action="store_true", help="do not ask")
    for command, run in ((backup, _backup), (restore, _restore)):
        add_home(command)
        add_json(command)
        command.set_defaults(run=run)


def _backup(arguments: argparse.Namespace) -> int:
    from ..store import StoreUnusable
    from ..store.backup import back_up
    from .bar import bar

    target = None if arguments.file is None else arguments.file.expanduser().absolute()
    try:
        with bar("copying") as advance:
            made = back_up(home_of(arguments), target, advance)
    except StoreUnusable as error:
        raise Failure(str(error)) from None
    if arguments.json:
        print_json({"file": str(made.file), "bytes": made.bytes, "records": made.records})
    else:
        print(f"{made.file}\nA copy of {made.bytes / 1e6:.1f} MB, checked: {_told(made.records)}.")
    return 0


def _restore(arguments: argparse.Namespace) -> int:
    from ..store import HomeInUse, StoreUnusable
    from ..store.restore import look, restore
    from .bar import bar
    from .marks import Marks
    from .opening import home_taken

    home, file = home_of(arguments), arguments.file.expanduser().absolute()
    try:
        look(file)
        if find(home) is not None:
            raise HomeInUse(home)
        if not arguments.yes and not confirm(f"Put {file} in the place of the database of {home}?"):
            print("Nothing was restored.")
            return 1
        make_home(home)
        with bar("copying") as advance:
            # What transcripts brought after the backup is to be read once more.
            done = restore(home, file, Marks(home).forget, advance)
    except HomeInUse as error:
        raise home_taken(home, error) from None
    except StoreUnusable as error:
        raise Failure(str(error)) from None
    if arguments.json:
        kept = None if done.kept is None else str(done.kept)
        print_json({"restored": str(file), "records": done.records, "kept": kept, "outdated": done.outdated})
        return 0
    print(f"{file} is in place: {_told(done.records)}.")
    if done.kept is not None:
        print(f"The database that was there is kept as {done.kept}.")
    tables = "brings its tables up to date and " if done.outdated else ""
    print(f"The next start {tables}makes the vector index anew.")
    return 0


def _told(records: dict[str, int]) -> str:
    return ", ".join(f"{records[name]} {word}" for name, word in SHOWN.items() if name in records)
