"""The order that a person saw.

The rule, the same for every client:

1. Messages come in the order of the file. Clients append what they show, so a record never precedes what it follows.
2. Going back takes away what was gone back over. A rewind, a roll-back or an edited prompt leaves its old turns in the
   file; they are no longer on the screen when the session is opened again, so they are withdrawn. Claude Code says it
   only by structure: a person's prompt whose parentUuid is an earlier record than the last one continues from there.
   Only a prompt can do that: parallel tool calls, hooks and progress records fork the same tree without anybody going
   back. Codex says it with thread_rolled_back, Gemini with $rewindTo, Copilot with session.snapshot_rewind, OpenCode
   with the session's revert mark.
3. Going back to a branch that was left brings it back: its messages are given again, after those of the other branch
   are withdrawn.
4. Compaction cuts nothing. Its boundary has no parent, yet the conversation on the screen goes on; the summary that the
   model is given in place of the old turns is not a message that anybody wrote, and is left out.
5. A sub-agent is a session of its own with `parent`; its turns are not shown among its parent's. Records that an older
   client wrote for a sub-agent into its parent's file are left out and counted.
6. A record that follows something unknown (another file, an over-long line) is taken to follow the last one.
7. What a client takes out of its own storage is withdrawn as well: OpenCode deletes the rows of a reverted turn when the
   next prompt is typed, Cursor drops bubbles from its list, Gemini's older document and Copilot's file are written anew.
   Nothing marks such a change, so a session is told of as Whole (all the ids it has now) by a source that was read
   before: a database whenever the session was touched, a document each time, a line file when it is not the one that
   the mark was set in. A source that is read for the first time only adds: it may be an old copy. One in which nothing
   of a session is found any more takes nothing away: clients clean up and change their form, and what was said is to
   be remembered.

A reader streams straight through and keeps of each record 17 bytes, a hash of its id, its offset and whether it was
shown, so a file of a million records costs 17 MB however large its texts are. What has been withdrawn is found again
by its offset.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

_RECENT = 64


@dataclass(slots=True)
class Run:
    """Records in their order, as columns."""

    keys: array[int] = field(default_factory=lambda: array("q"))
    offsets: array[int] = field(default_factory=lambda: array("q"))
    shown: bytearray = field(default_factory=bytearray)

    def append(self, key: int, offset: int, shown: bool) -> None:
        self.keys.append(key)
        self.offsets.append(offset)
        self.shown.append(shown)

    def rewrite(self, at: int, offset: int, shown: bool) -> None:
        """A record is written anew; what was shown of it before stays until it is withdrawn."""
        self.offsets[at] = offset
        self.shown[at] |= shown

    def find(self, key: int) -> int | None:
        """Where the last record with this key is; what is looked for is nearly always among the last few."""
        size = len(self.keys)
        for at in range(size - 1, max(size - _RECENT, 0) - 1, -1):
            if self.keys[at] == key:
                return at
        try:
            return self.keys.index(key)
        except ValueError:
            return None

    def split(self, at: int) -> Run:
        """Takes the records from `at` on out of this run and returns them."""
        rest = Run(self.keys[at:], self.offsets[at:], self.shown[at:])
        del self.keys[at:], self.offsets[at:], self.shown[at:]
        return rest

    def extend(self, other: Run, size: int) -> None:
        self.keys += other.keys[:size]
        self.offsets += other.offsets[:size]
        self.shown += other.shown[:size]

    def visible(self, size: int | None = None) -> Iterator[int]:
        """The offsets of those of the first `size` records that were shown."""
        for at in range(len(self.keys) if size is None else size):
            if self.shown[at]:
                yield self.offsets[at]


@dataclass(frozen=True, slots=True)
class Move:
    """What going back changed: runs whose shown records are withdrawn, then (run, size) that come back, in order."""

    withdrawn: tuple[Run, ...] = ()
    restored: tuple[tuple[Run, int], ...] = ()


class Thread:
    """The conversation as it stands, and the branches that were left."""

    def __init__(self) -> None:
        self._live = Run()
        self._left: list[tuple[int | None, Run]] = []  # (key of the record it follows, the records)

    def __len__(self) -> int:
        return len(self._live.keys)

    def add(self, key: str, offset: int, *, shown: bool) -> None:
        """The next record of the conversation."""
        self._live.append(hash(key), offset, shown)

    def renew(self, key: str, offset: int, *, shown: bool) -> None:
        """A record of the conversation is written anew: it keeps its place."""
        at = self._live.find(hash(key))
        if at is not None:
            self._live.rewrite(at, offset, shown)

    def knows(self, key: str) -> bool:
        """Whether a record with this id is in the conversation or in a branch that was left."""
        wanted = hash(key)
        return self._live.find(wanted) is not None or any(run.find(wanted) is not None for _, run in self._left)

    def join(self, later: Thread) -> None:
        """Puts a thread that begins where this one ends behind it; a record of this one written anew keeps its place."""
        here = dict(zip(self._live.keys, range(len(self)), strict=True))
        run = later._live
        for key, offset, shown in zip(run.keys, run.offsets, run.shown, strict=True):
            at = here.get(key)
            if at is None:
                self._live.append(key, offset, bool(shown))
            else:
                self._live.rewrite(at, offset, bool(shown))
        self._left += later._left

    def follow(self, key: str | None) -> Move:
        """Goes on from the record `key`, None: from before the first one. An unknown key changes nothing."""
        return self._follow(None if key is None else hash(key))

    def cut(self, key: str) -> Move:
        """Goes back to before the record `key`, which is withdrawn with all that came after it."""
        at = self._live.find(hash(key))
        return Move() if at is None else self._truncate(at)

    def _follow(self, key: int | None) -> Move:
        if key is None:
            return self._truncate(0)
        at = self._live.find(key)
        if at is not None:
            return self._truncate(at + 1)
        for number in range(len(self._left) - 1, -1, -1):
            after, run = self._left[number]
            at = run.find(key)
            if at is not None:
                del self._left[number]
                there = self._follow(after)
                self._live.extend(run, at + 1)
                if at + 1 < len(run.keys):
                    self._left.append((key, run.split(at + 1)))
                return Move(there.withdrawn, (*there.restored, (run, at + 1)))
        return Move()

    def _truncate(self, size: int) -> Move:
        if size >= len(self):
            return Move()
        after = self._live.keys[size - 1] if size else None
        rest = self._live.split(size)
        self._left.append((after, rest))
        return Move((rest,))
