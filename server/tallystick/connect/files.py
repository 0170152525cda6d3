"""Reading a client's file and replacing it: whole or not at all, with what it was beside it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from .merge import Document


class Refused(Exception):
    """A file was left as it is; the text says which, why and what to do."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What a file holds, None where it is not there, and what it is to hold."""

    file: Path
    before: bytes | None
    after: bytes

    @property
    def changes(self) -> bool:
        return self.before != self.after


def plan(file: Path, new: Callable[[str], Document], change: Callable[[Document], None]) -> Edit:
    """Read a file, which may be absent, and change its text. Nothing is written.

    Args:
        file: where it is.
        new: makes a document of a text.
        change: changes the document in place.

    Raises:
        Refused: it cannot be read, parsed or changed.
    """
    try:
        before = file.read_bytes()
    except FileNotFoundError:
        before = None
    except OSError as error:
        raise Refused(f"{str(file)!r} cannot be read: {error.strerror}. Name another with --file.") from error
    try:
        document = new((before or b"").decode("utf-8"))
        change(document)
        after = document.text.encode("utf-8")
    except UnicodeError as error:
        raise Refused(f"{str(file)!r} is no UTF-8 text: {error}. It was left as it is.") from error
    except ValueError as error:
        raise Refused(
            f"{str(file)!r} cannot be changed: {error}. It was left as it is; mend it there, or name another with --file."
        ) from error
    return Edit(file, before, after)


def check_writable(edit: Edit) -> None:
    """Make sure that nobody has protected the file; renaming another over it would not ask.

    Raises:
        Refused: it is read-only.
    """
    target = Path(os.path.realpath(edit.file))
    if edit.before is not None and not (os.access(target, os.W_OK) and target.stat().st_mode & 0o222):
        raise Refused(f"{str(edit.file)!r} is read-only. Make it writable, or name another with --file.")


def carry_out(edit: Edit) -> Path | None:
    """Write what an edit says. A link stays a link, and the file keeps its permissions and owner.

    Returns:
        The copy of what was there, None where nothing was.

    Raises:
        Refused: the file cannot be written, or was changed since it was read.
    """
    target = Path(os.path.realpath(edit.file))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return _replace(target, edit)
    except OSError as error:
        raise Refused(
            f"{str(edit.file)!r} cannot be written: {error.strerror}. It was left as it is; name another with --file."
        ) from error


def _replace(target: Path, edit: Edit) -> Path | None:
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    draft, backup = Path(name), None
    try:
        with open(descriptor, "wb") as file:
            file.write(edit.after)
            file.flush()
            os.fsync(file.fileno())
        if edit.before is not None:
            _alike(draft, target)
            backup = target.with_name(f"{target.name}.{datetime.now(UTC):%Y%m%dT%H%M%S%f}.bak")
            shutil.copy2(target, backup)
        if (target.read_bytes() if target.exists() else None) != edit.before:
            raise Refused(f"{str(edit.file)!r} was changed by another program just now; say it again.")
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        if backup is not None:
            backup.unlink(missing_ok=True)
        raise
    return backup


def _alike(draft: Path, target: Path) -> None:
    status = target.stat()
    shutil.copymode(target, draft)
    if os.name == "posix":
        with contextlib.suppress(PermissionError):  # only root may give a file away
            os.chown(draft, status.st_uid, status.st_gid)
