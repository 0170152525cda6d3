"""States a home may be found in: how each comes about, and what is to be seen then. The README's table is made of them."""

from __future__ import annotations

import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.process import Serving, note, serving

WORDS = "quokka"


@dataclass(frozen=True)
class State:
    """One row of the table.

    Attributes:
        found: what is the matter.
        happens: what the program does about it by itself.
        action: what is left to do.
        damage: brings the home about it; the server was stopped.
        refused: the words a start is refused with; "" where it serves.
    """

    found: str
    happens: str
    action: str
    damage: Callable[[Path], None]
    refused: str = ""


def database(home: Path, *statements: str) -> None:
    with closing(sqlite3.connect(home / "tallystick.db", isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def emptied(home: Path) -> None:
    (home / "tallystick.db").write_bytes(b"")


def overwritten(home: Path) -> None:
    (home / "tallystick.db").write_bytes(b"somebody's file " * 4096)


def spoiled_page(home: Path) -> None:
    with (home / "tallystick.db").open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\xa5" * 4096)


def newer(home: Path) -> None:
    database(home, "UPDATE alembic_version SET version_num = '9999'")


def no_vectors(home: Path) -> None:
    shutil.rmtree(home / "chroma")


def spoiled_vectors(home: Path) -> None:
    (home / "chroma" / "chroma.sqlite3").write_bytes(b"\xff" * 8192)
    database(home, "UPDATE meta SET value = '1' WHERE name = 'index.unclean'")  # as a crash leaves it


def killed(home: Path) -> None:
    server = Serving(home)
    server.stop(signal.SIGKILL)
    assert (home / "run" / "server.json").exists()


def no_log(home: Path) -> None:
    log = home / "logs" / "mcp.log"
    log.unlink()
    log.symlink_to("/dev/full")


def no_marks(home: Path) -> None:
    (home / "capture").mkdir()
    (home / "capture" / "marks.db").write_bytes(b"no marks " * 1000)


def a_file(home: Path) -> None:
    shutil.rmtree(home)
    home.write_text("a file", "utf-8")


STATES = (
    State(
        "`tallystick.db` is no database, or is cut",
        "The start is refused with the path and the reason; not a byte is changed.",
        "`tallystick restore` a backup.",
        overwritten,
        "no SQLite database",
    ),
    State(
        "`tallystick.db` is empty, and `chroma/` is there",
        "The same: it held something.",
        "`tallystick restore` a backup.",
        emptied,
        "it is empty",
    ),
    State(
        "a page of `tallystick.db` is damaged",
        "The same, where it is noticed: every page is looked at up to 16 MiB, and by `tallystick doctor`.",
        "`tallystick restore` a backup.",
        spoiled_page,
        "damaged",
    ),
    State(
        "`tallystick.db` was made by a newer version",
        "The start is refused; not a byte is changed.",
        "Use that version, or restore the backup it made before it changed the tables.",
        newer,
        "newer version",
    ),
    State(
        "the home is a file, or cannot be written",
        "The start is refused with the path.",
        "Give another folder, or the rights.",
        a_file,
        "is a file",
    ),
    State(
        "`chroma/` is missing",
        "It is made anew from the database; search is exact meanwhile.",
        "Nothing.",
        no_vectors,
    ),
    State(
        "`chroma/` is damaged, or crashes who opens it",
        "After a crash it is looked into from a process of its own, moved to `chroma.damaged` and made anew.",
        "Nothing; delete `chroma.damaged` when it is not wanted.",
        spoiled_vectors,
    ),
    State(
        "the server was killed, or the machine lost power",
        "The next start goes on where it was. What was acknowledged is there (after a power cut: with "
        "`TALLYSTICK_DURABILITY=full`).",
        "Nothing.",
        killed,
    ),
    State(
        "`capture/marks.db` is damaged",
        "It is put aside; transcripts are read from their beginnings, and nothing comes twice.",
        "Nothing.",
        no_marks,
    ),
    State(
        "`logs/mcp.log` cannot be written",
        "Calls are answered; the line is lost, and the server's own log says so.",
        "Make room, or the rights.",
        no_log,
    ),
)


def table() -> str:
    """The states as a Markdown table."""
    rows = [f"| {state.found} | {state.happens} | {state.action} |" for state in STATES]
    return "\n".join(["| found | what happens | what to do |", "|---|---|---|", *rows])


def filled(home: Path) -> list[str]:
    """A home with some memories, its server stopped in order; their ids."""
    with serving(home) as server:
        with server.client() as client:
            bodies = [{**note(number), "context": f"The {WORDS} of number {number}."} for number in range(12)]
            ids = [client.post("/v1/memories", json=body).json()["memory_id"] for body in bodies]
            while client.get("/health/ready").json()["index"] != "current":
                pass
        assert server.stop() == 0
    return ids


def bytes_of(home: Path) -> dict[str, bytes]:
    """The database, and the home where that is a file. (Its -shm and an empty -wal come and go with who reads it.)"""
    return {path.name: path.read_bytes() for path in (home, home / "tallystick.db") if path.is_file()}


if __name__ == "__main__":
    print(table())
