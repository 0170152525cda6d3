"""Taking a user's texts out of the audit log, in place: the lines stay, and whoever appends meanwhile is not disturbed."""

from __future__ import annotations

import mmap
import re
from pathlib import Path

TEXTS = ("query", "title", "conversation_id", "persona_name", "topic")
"""What a line may hold of a call's own words."""

_text = re.compile(rf" (?:{'|'.join(TEXTS)})=(\"(?:[^\"\\]|\\.)*\"|[^ \n]*)".encode())
_user = re.compile(rb" user=(\"(?:[^\"\\]|\\.)*\"|[^ \n]*)")


class Blotter:
    """Remembers how far it has been through which file for whom, so that the next time is quick."""

    def __init__(self) -> None:
        self._done: dict[tuple[bytes, str], int] = {}

    def blot(self, path: Path, user: str) -> None:
        """Overwrite every text in a user's lines with as many hyphens.

        Args:
            path: the log; a file that was begun anew or has another name than before is known by its first line.
            user: as the log has the name, with its quotes where it has any.
        """
        if not path.stat().st_size:
            return
        with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as log:
            # Behind the texts, a line ends with the id of its call.
            key = (log.readline().rpartition(b" request=")[2], user)
            start = self._done.get(key, 0)
            log.seek(start)
            while (line := log.readline()).endswith(b"\n"):
                # The last one: what stands before it may be a text that holds such words.
                named = [match[1] for match in _user.finditer(line)][-1:]
                if named == [user.encode()]:
                    for match in _text.finditer(line):
                        log[start + match.start(1) : start + match.end(1)] = b"-" * len(match[1])
                start += len(line)
            log.flush()
            self._done[key] = start
