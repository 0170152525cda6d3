"""A batch taken step by step leaves a store as its events would one by one."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tallystick.capture import CapturedMessage, CapturedSession, Event, Whole, Withdrawn
from tallystick.cli.keeping import steps

Kept = dict[str, dict[str, str]]


def told(events: list[Event]) -> Kept:
    kept: Kept = {}
    at = ""
    for event in events:
        match event:
            case CapturedSession():
                at = event.native_id
            case CapturedMessage():
                kept.setdefault(at, {})[event.id] = event.version
            case Withdrawn():
                kept.get(event.session, {}).pop(event.id, None)
            case Whole():
                kept[event.session] = {i: v for i, v in kept.get(event.session, {}).items() if i in event.ids}
    return kept


def taken(batches: list[list[Event]]) -> tuple[Kept, int]:
    """As the importer posts: the messages of a step, then its withdrawals; and how many were removed."""
    kept: Kept = {}
    header, removed = None, 0
    for batch in batches:
        for step in steps(batch, header):
            header = step.header
            session = kept.setdefault(header.native_id, {})
            assert not step.messages.keys() & step.withdrawn.keys()
            session |= {native: message.version for native, (_, message) in step.messages.items()}
            for native in step.withdrawn:
                removed += session.pop(native, None) is not None
            if step.whole is not None:
                assert step.whole.session == header.native_id
                kept[header.native_id] = {i: v for i, v in session.items() if i in step.whole.ids}
    return kept, removed


def test_any_batches_come_to_what_their_events_say() -> None:
    for seed in range(500):
        random = Random(seed)
        events: list[Event] = []
        at = ""
        for number in range(random.randint(1, 40)):
            kind, native = random.random(), f"m{random.randint(0, 9)}"
            if not events or kind < 0.1:
                at = f"s{random.randint(0, 2)}"
                events.append(CapturedSession("a", at, Path("s")))
            elif kind < 0.6:
                events.append(CapturedMessage(native, "user", f"{number}", f"{number}"))
            elif kind < 0.95:  # people go back: what came after is withdrawn as well
                standing = list(told(events).get(at, {}))
                events += [Withdrawn(at, native) for native in standing[random.randint(0, len(standing)) :]]
            else:
                events.append(Whole(at, frozenset(f"m{n}" for n in range(5))))
        cut = random.randint(0, len(events))
        kept, _ = taken([events[:cut], events[cut:]])
        expected = {session: list(messages.items()) for session, messages in told(events).items() if messages}
        assert {session: list(messages.items()) for session, messages in kept.items() if messages} == expected, seed


def test_a_branch_that_is_left_and_taken_up_again_is_not_removed_meanwhile() -> None:
    def message(native: str) -> CapturedMessage:
        return CapturedMessage(native, "user", native, native)

    events: list[Event] = [
        CapturedSession("a", "s", Path("s")), message("1"), message("2"), Withdrawn("s", "2"), message("3"),
        Withdrawn("s", "3"), message("2"),
    ]  # fmt: skip
    kept, removed = taken([events, events])
    assert (list(kept["s"]), removed) == (["1", "2"], 0)
