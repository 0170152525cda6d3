"""What a store would hold after taking a reader's events: the judge of all tests of readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path

from tallystick.capture import CapturedMessage, CapturedSession, Event, Reached, Reason, Skipped, Whole, Withdrawn

HOME = Path(__file__).parent / "data" / "home"


@dataclass
class Told:
    """Sessions by native id, their messages in order, and what was counted."""

    sessions: dict[str, CapturedSession] = field(default_factory=dict)
    messages: dict[str, dict[str, CapturedMessage]] = field(default_factory=dict)
    skipped: Counter[tuple[Reason, str]] = field(default_factory=Counter)
    marks: list[Reached] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    new: int = 0
    _at: str = ""

    def take(self, events: Iterable[Event]) -> Told:
        for event in events:
            match event:
                case CapturedSession():
                    self._at = event.native_id
                    known = self.sessions.get(self._at, event)
                    merged = {
                        f.name: getattr(event, f.name) if getattr(event, f.name) is not None else getattr(known, f.name)
                        for f in fields(event)
                    }
                    self.sessions[self._at] = CapturedSession(**merged)
                case CapturedMessage():
                    kept = self.messages.setdefault(self._at, {})
                    self.new += event.id not in kept or kept[event.id].version != event.version
                    kept[event.id] = event
                case Withdrawn():
                    self.withdrawn.append(event.id)
                    self.messages.get(event.session, {}).pop(event.id, None)
                case Whole():
                    kept = self.messages.get(event.session, {})
                    self.messages[event.session] = {id: kept[id] for id in kept if id in event.ids}
                case Skipped():
                    self.skipped[event.reason, event.detail] += event.count
                case Reached():
                    self.marks.append(event)
        return self

    def lines(self, session: str | None = None) -> list[str]:
        """`role: content` of a session's messages; without a name, of the only session."""
        if session is None:
            (session,) = self.sessions
        return [f"{m.role}: {m.content}" for m in self.messages[session].values()]

    def texts(self) -> dict[str, list[tuple[str, ...]]]:
        """(id, role, content) of the messages that stand, in order, by session."""
        every: dict[str, list[tuple[str, ...]]] = {
            session: [(m.id, m.role, m.content) for m in kept.values()] for session, kept in self.messages.items()
        }
        return {session: kept for session, kept in every.items() if kept}

    def count(self, reason: Reason, detail: str | None = None) -> int:
        return sum(n for (r, d), n in self.skipped.items() if r is reason and detail in (None, d))
