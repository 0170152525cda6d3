"""`tallystick export` and `import-export`: all records of a user as lines of JSON, and back."""

from __future__ import annotations

import argparse
import contextlib
import errno
import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..home import make_home
from .failure import Failure
from .options import add_home, add_json, home_of
from .output import print_json

if TYPE_CHECKING:
    from ..store import Unit
    from ..store.export_sql import Line
    from ..store.intake import Intake
    from .export_file import ExportFile

STREAM = "-"


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `export` and `import-export` to the command line."""
    export = commands.add_parser(
        "export",
        help="write all records of a user as lines of JSON",
        description="Writes all records of a user, and the personas that do not ship, as lines of JSON, while the server "
        "serves. Keys, the audit trail and what is derived are not part of it.",
    )
    export.add_argument(
        "file", nargs="?", default=STREAM, metavar="FILE", help="a new file; - (the default) is standard output"
    )
    export.add_argument("--user", metavar="NAME", default="local", help="whose records (default: local)")
    importing = commands.add_parser(
        "import-export",
        help="take the records of an export in",
        description="Takes the records of an export in, as they were. No server may run. Records that are here already stay; "
        "where one is here with other content, nothing is imported.",
    )
    importing.add_argument("file", metavar="FILE", help="what `tallystick export` wrote; - is standard input")
    for command, run in ((export, _export), (importing, _import)):
        add_home(command)
        add_json(command)
        command.set_defaults(run=run)


def _export(arguments: argparse.Namespace) -> int:
    from ..store import NotFound, StoreUnusable
    from ..store.export import exporting

    if arguments.file == STREAM and arguments.json:
        raise Failure("--json tells what was written to a file; name one.")
    try:
        with exporting(home_of(arguments), arguments.user) as lines:
            if arguments.file == STREAM:
                _pour(lines)
                return 0
            path = Path(arguments.file).expanduser().absolute()
            counts = _write(lines, path)
    except NotFound as error:
        raise Failure(f"{error} Name one with --user; `tallystick keys list` shows who has keys.") from None
    except StoreUnusable as error:
        raise Failure(str(error)) from None
    except sqlite3.Error as error:
        raise Failure(f"The database cannot be read: {error}. `tallystick doctor` says more.") from None
    if arguments.json:
        print_json({"file": str(path), "user": arguments.user, "counts": counts})
    else:
        print(f"{path}\nAll records of {arguments.user}: {_told(counts)}.")
    return 0


def _pour(lines: Iterator[Line]) -> None:
    try:
        for line in lines:
            sys.stdout.buffer.write(_encoded(line))
        sys.stdout.flush()
    except BrokenPipeError:
        raise  # whoever read it has enough
    except OSError as error:
        # What is still to be written would fail once more when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        advice = " Make room, and try again." if error.errno == errno.ENOSPC else ""
        raise Failure(f"Standard output cannot be written: {error.strerror or error}.{advice}") from None


def _write(lines: Iterator[Line], path: Path) -> dict[str, int]:
    """Write a new file, whole or not at all, for this user alone; how many lines of each kind it has."""
    from .bar import bar

    if path.exists():
        raise Failure(f"{path} is there already; give the name of a new file.")
    partial = path.with_name(f"{path.name}.partial")
    try:
        with (
            open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file,
            bar("writing") as advance,
        ):
            header = next(lines)
            file.write(_encoded(header))
            counts: dict[str, int] = header["counts"]
            for number, line in enumerate(lines, 1):
                file.write(_encoded(line))
                if number % 1000 == 0:
                    advance(number, sum(counts.values()))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise Failure(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
    return counts


def _import(arguments: argparse.Namespace) -> int:
    from .bar import bar
    from .export_file import ExportFile
    from .opening import open_store
    from .serve import load_settings

    home, (file, name, size) = home_of(arguments), _source(arguments.file)
    with file, bar("reading") as advance:
        export = ExportFile(file, name)
        make_home(home)
        store = open_store(load_settings(home), indexing=False)
        try:
            with store.write(0) as unit:
                intake = _taken(export, unit, lambda: advance(export.position, size))
        except sqlite3.Error as error:
            raise Failure(f"The database cannot be written: {error}. Nothing was imported.") from None
        finally:
            store.close()
    if arguments.json:
        print_json({"user": export.header["user"], "new": dict(intake.new), "known": dict(intake.known)})
        return 0
    print(f"New: {_told(intake.new)}.\nHere already: {_told(intake.known)}.")
    if intake.new["memory"] or intake.new["session"]:
        print("What is new is found by its words at once, by its meaning when the server has run for a while.")
    return 0


def _taken(export: ExportFile, unit: Unit, advance: Callable[[], None]) -> Intake:
    from ..store.errors import Unfit
    from ..store.intake import Intake

    intake = Intake(unit, export.header["user"])
    try:
        for line in export:
            intake.take(line)
            if export.line % 1000 == 0:
                advance()
        intake.finish()
    except Unfit as error:
        export.refuse(str(error))
    return intake


def _source(name: str) -> tuple[BinaryIO, str, int | None]:
    """The file to read, what it is called, and its size where that is known."""
    if name == STREAM:
        return sys.stdin.buffer, "standard input", None
    path = Path(name).expanduser()
    try:
        return path.open("rb"), str(path), path.stat().st_size
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror or error}.") from None


def _encoded(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{kind} {number}" for kind, number in counts.items() if number) or "nothing"
