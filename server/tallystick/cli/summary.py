"""What an import came to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Summary:
    """What an import came to, for the closing words."""

    sources: int = 0
    unchanged: int = 0
    sessions: set[str] = field(default_factory=set)
    new: int = 0
    known: int = 0
    changed: int = 0
    removed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    redacted: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "sources": self.sources,
            "unchanged": self.unchanged,
            "sessions": len(self.sessions),
            "new": self.new,
            "known": self.known,
            "changed": self.changed,
            "removed": self.removed,
            "skipped": dict(self.skipped),
            "redacted": dict(self.redacted),
            "unreadable": self.unreadable,
        }

    def text(self, *, dry: bool = False) -> str:
        """As words for a person; `dry`: nothing was kept, so that nothing is known of what is new."""
        kept = (
            f"{self.new} messages. Nothing was kept."
            if dry
            else f"{self.new} messages new, {self.known} known, {self.changed} changed, {self.removed} withdrawn."
        )
        lines = [f"{len(self.sessions)} sessions in {self.sources} files: {kept}"]
        if self.unchanged:
            lines.append(f"{self.unchanged} files are as they were when they were read last.")
        for title, counts in (("Left out or altered", self.skipped), ("Secrets taken out", self.redacted)):
            if counts:
                lines.append(f"{title}: {', '.join(f'{name} {number}' for name, number in counts.most_common())}.")
        return "\n".join(lines)
