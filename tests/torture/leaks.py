"""Bridges started and ended many times in many ways: nothing of them may stay."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from filelock import FileLock, Timeout

from tests.e2e.process import note
from tests.e2e.test_bridge import HELLO, Pipes, call
from tests.torture.keeper import Keeper
from tests.torture.report import Report

AT_ONCE = 4
LOCKS = ("owner.lock", "start.lock")
LISTENS = "0A"  # state of a socket in /proc/net/tcp
End = Callable[[Path, float], None]
LEAVING = 15.0  # seconds in which what is ending has ended


def leave(folder: Path, *, bridges: int, seed: int, cheap: bool, say: Callable[[str], None]) -> Report:
    """Start and end bridges, several at a time; now and then the owner is killed, too.

    Args:
        folder: where the home goes.
        bridges: how many.
        seed: decides how each ends, and after which of them the owner is killed.
        cheap: see torture.

    Returns:
        What was found.
    """
    report, random, keeper = Report(), Random(seed), Keeper(folder / "leaks", cheap=cheap)
    kills = max(1, bridges // 100)
    done = 0
    try:
        keeper.start()
        for part in range(kills + 1):
            if part:
                keeper.kill()
                keeper.start()
            number = bridges * (part + 1) // (kills + 1) - done
            _start_and_end(keeper, [(random.choice(ENDS), random.uniform(0, 0.3)) for _ in range(number)], report)
            done += number
            say(f"{done} bridges started and ended")
        keeper.stop()
        report.add("process", "left behind, process", _over(lambda: _processes(keeper.home)))
    finally:
        keeper.close()
    left = {path.name for path in (keeper.home / "run").iterdir()} - set(LOCKS)
    report.add("process", "left behind, file", sorted(left))
    report.add("process", "left behind, locked", (name for name in LOCKS if _locked(keeper.home / "run" / name)))
    report.lines.append(f"{done} bridges started and ended, {kills} owners killed meanwhile")
    return report


def _start_and_end(keeper: Keeper, some: Sequence[tuple[End, float]], report: Report) -> None:
    """Start bridges and end each in its way, several at a time; then the owner is alone, and speaks to nobody."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda one: one[0](keeper.home, one[1]), some))
    owner = keeper.wait().pid
    report.add("process", "left behind, process", _over(lambda: _processes(keeper.home) - {str(owner)}))
    report.add("process", "left behind, connection", _over(lambda: _connections(owner)))


def _at_once(home: Path, delay: float) -> None:
    _bridge(home).end()


def _greeted(home: Path, delay: float) -> None:
    bridge = _bridge(home)
    bridge.ask(HELLO)
    bridge.end()


def _written(home: Path, delay: float) -> None:
    bridge = _bridge(home)
    bridge.send(HELLO, call(1, "store_context", note()))
    answers, _ = bridge.end()
    assert {answer["id"] for answer in answers} == {0, 1}


def _killed(home: Path, delay: float) -> None:
    _cut_off(_bridge(home), delay, signal.SIGKILL)


def _terminated(home: Path, delay: float) -> None:
    _cut_off(_bridge(home), delay, signal.SIGTERM)


ENDS = (_at_once, _greeted, _written, _killed, _terminated)


def _bridge(home: Path) -> Pipes:
    return Pipes(home, "--home", str(home))  # named in its arguments, by which what is left of it is found


def _cut_off(bridge: Pipes, delay: float, number: signal.Signals) -> None:
    bridge.send(HELLO, call(1, "store_context", note()))
    time.sleep(delay)
    bridge.process.send_signal(number)
    bridge.process.communicate()


def _over(look: Callable[[], set[str]]) -> set[str]:
    """What is found still when what is ending has had time to end."""
    until = time.monotonic() + LEAVING
    while (found := look()) and time.monotonic() < until:
        time.sleep(0.1)
    return found


def _processes(home: Path) -> set[str]:
    """The ids of processes that were started for a home."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended
            if os.fsencode(home) in path.read_bytes().split(b"\0"):
                found.add(path.parent.name)
    return found


def _connections(process: int) -> set[str]:
    """The TCP connections of a process, by their inodes."""
    held = set()
    for path in Path(f"/proc/{process}/fd").glob("*"):
        with contextlib.suppress(OSError):  # closed meanwhile
            held.add(os.readlink(path))
    lines = [line.split() for line in Path(f"/proc/{process}/net/tcp").read_text("ascii").splitlines()[1:]]
    return {line[9] for line in lines if line[3] != LISTENS and f"socket:[{line[9]}]" in held}


def _locked(path: Path) -> bool:
    try:
        with FileLock(path).acquire(timeout=0):
            return False
    except Timeout:
        return True
