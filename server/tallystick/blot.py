"""Taking a user's texts out of the audit log, in place: the lines stay, and whoever appends meanwhile is not disturbed."""

from __future__ import annotations

import mmap
import re
from pathlib import Path

TEXTS = ("query", "title", "conversation_id", "persona_name", "topic")
"""What a line may hold of a call's own words."""

_text = re.compile(rf" (?:{'|'.join(TEXTS)})=(\"(?:[^\"\\]|\\.)*\"|[^ \n]*)".encode())
_user = re.compile(rb" user=(\"(?:[^\"\\]|\\.)*\"|[^ \n]*)")


def blot(path: Path, user: str) -> None:
    """Overwrite every text in a user's lines with as many hyphens.

    Args:
        path: the log.
        user: as the log has the name, with its quotes where it has any.
    """
    if not path.stat().st_size:
        return
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as log:
        start = 0
        for line in iter(log.readline, b""):
            # The last one: what stands before it may be a text that holds such words.
            named = [match[1] for match in _user.finditer(line)][-1:]
            if named == [user.encode()]:
                for match in _text.finditer(line):
                    log[start + match.start(1) : start + match.end(1)] = b"-" * len(match[1])
            start += len(line)
        log.flush()
