"""One file that a client reads: what belongs into it, whether it is there, and putting it there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .clients import Client
from .files import Edit, Refused, carry_out, check_writable, plan
from .hooks import add_hooks
from .jsonc import Jsonc
from .merge import Document, merge


@dataclass(slots=True)
class Part:
    """A file and a change of it.

    Args:
        purpose: server or hook.
        file: where it is.
        new: makes a document of a text.
        change: puts into a document what belongs there.
        state: missing, there, written, or unreadable with the `problem`.
        backup: the copy of what was there before it was written.
    """

    purpose: str
    file: Path
    new: Callable[[str], Document]
    change: Callable[[Document], None]
    state: str = "missing"
    problem: str | None = None
    backup: Path | None = None

    @property
    def configuration(self) -> Document:
        """What the file would hold if it held nothing else."""
        document = self.new("")
        self.change(document)
        return document

    def look(self) -> None:
        """Find out whether anything is to be done."""
        try:
            self.state = "missing" if self.edit().changes else "there"
        except Refused as error:
            self.state, self.problem = "unreadable", str(error)

    def as_dict(self) -> dict[str, Any]:
        found = {"purpose": self.purpose, "path": str(self.file), "state": self.state}
        if self.backup:
            found["backup"] = str(self.backup)
        if self.problem:
            found["problem"] = self.problem
        return {**found, "configuration": self.configuration.get(())}

    def edit(self) -> Edit:
        """What the file holds and is to hold.

        Raises:
            Refused: it cannot be read or changed.
        """
        return plan(self.file, self.new, self.change)


def server_part(client: Client, file: Path, words: Sequence[str], *, remote: bool) -> Part:
    """The entry that makes a client start the words as its server."""
    entry = client.entry(words, remote=remote)
    return Part("server", file, client.kind, lambda document: merge(document, client.path, entry, client.secret))


def hook_part(file: Path, command: str) -> Part:
    """The hooks of Claude Code that run a command."""
    return Part("hook", file, Jsonc, lambda document: add_hooks(document, command))


def write(parts: Sequence[Part]) -> None:
    """Write several, and none where one of them cannot be read, parsed or written.

    Raises:
        Refused: a file was left as it is; the text says why.
    """
    planned = [(part, part.edit()) for part in parts]
    changes = [(part, edit) for part, edit in planned if edit.changes]
    for _, edit in changes:
        check_writable(edit)
    for part in parts:
        part.state = "there"
    for part, edit in changes:
        part.backup = carry_out(edit)
        part.state = "written"
