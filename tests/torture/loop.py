"""Servers killed over and over while programs and agents write; then everything acknowledged is looked for."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import httpx
from tallystick.owner import Owner
from tallystick.store import gaps
from tallystick.store.embedding import MiniLm
from tallystick_client import Tallystick

from tests.e2e.process import note
from tests.store.conftest import HashEmbedder
from tests.torture import served, stored
from tests.torture.keeper import Keeper
from tests.torture.ledger import Ledger
from tests.torture.person import Person
from tests.torture.report import Report
from tests.torture.writers import Agent, Program, Writer

PROGRAMS = {"ann": 2, "ben": 2, "cleo": 1}
"""Users, and how many programs write for each."""

AGENTS = 2  # of the user of this machine, each with a bridge
LOCAL = "local"
STUCK = 180.0  # seconds without an acknowledged write, or without the index coming nearer, that are no mere load
COMPLAINT = re.compile(r"level=error|Traceback| ERROR ")
SCRUBBED = "SELECT count(*) FROM meta WHERE name LIKE '%.scrub' AND value != ''"


def torture(
    folder: Path, *, kills: int, writes: int, seed: int, cheap: bool, sample: int, say: Callable[[str], None]
) -> Report:
    """Kill, write, look.

    Args:
        folder: where the homes go.
        kills: how often a server is killed: a tenth of them while it makes a new home, three tenths while it starts on one
            that was left by another kill, the rest while it serves.
        writes: how many writes are acknowledged.
        seed: decides what is written and when it is killed; how the two meet is up to the machine.
        cheap: serve with an embedder that costs next to nothing in place of the model.
        sample: see served.check and stored.check.
        say: is told how it goes on.

    Returns:
        What was found.

    Raises:
        Stuck, ServerFailed: it could not be brought to its end.
    """
    report, random = Report(), Random(seed)
    making, starting = max(1, kills // 10), max(1, kills * 3 // 10)
    serving = max(1, kills - making - starting)
    for number in range(making):
        _new_home(folder / f"new-{number}", random, cheap, report)
        say(f"killed {number + 1} while making a home")
    keeper = Keeper(folder / "home", cheap=cheap)
    people, writers = [Person(LOCAL, None)], list[Writer]()
    try:
        _begin(keeper, seed, people, writers)
        _kill(keeper, writers, serving, starting, writes, random, say)
        _quiet(writers, report)
        report.lines.append(
            f"{making + starting + serving} times kill -9: {making} of a server that made its home, {starting} of one that "
            f"started, {serving} of one that served"
        )
        done: Counter[str] = sum((person.done for person in people), Counter())
        told = ", ".join(f"{name} {count:,}" for name, count in sorted(done.items()))
        report.lines.append(f"{done.total():,} acknowledged writes of {len(people)} users: {told}")
        say("looking")
        keeper.stop()
        stored.check_logs(keeper.home, people, report)
        _look(keeper, people, sample, random, report)
        stored.check(keeper.home, people, HashEmbedder() if cheap else MiniLm(), sample, random, report)
        report.add("process", "the server complained:", _complaints(keeper))
    finally:
        for writer in writers:
            writer.cut_off()
        keeper.close()
    return report


def _look(keeper: Keeper, people: Sequence[Person], sample: int, random: Random, report: Report) -> None:
    """Start the server anew, compare what it serves, and end it in order."""
    keeper.start()
    owner = keeper.wait()
    settled(owner, keeper.home)
    for person in people:
        with Tallystick(owner.url, person.key or owner.token, timeout=60) as client:
            served.check(client, person, sample, random, report)
        live, dead = len(person.live()), len(person.dead())
        report.lines.append(
            f"{person.name}: {len(person.memories):,} memories and {len(person.talks):,} sessions there, "
            f"{len(person.erased | person.silenced):,} erased; {live:,} words found, {dead:,} found no more"
        )
    settled(owner, keeper.home)
    keeper.stop()


def _new_home(home: Path, random: Random, cheap: bool, report: Report) -> None:
    """Kill a server while it makes its database, and see that the next one takes it from there."""
    keeper = Keeper(home, cheap=cheap)
    try:
        keeper.start()
        while not (home / "tallystick.db").exists():
            time.sleep(0.002)
        time.sleep(random.uniform(0, 0.4))
        keeper.kill()
        keeper.start()
        owner = keeper.wait()
        with httpx.Client(base_url=owner.url, headers={"authorization": f"Bearer {owner.token}"}, timeout=60) as client:
            made = client.post("/v1/memories", json=note())
            report.expect("lost", f"the first write to {home.name}", made.status_code, 201)
        keeper.stop()
    finally:
        keeper.close()


def _begin(keeper: Keeper, seed: int, people: list[Person], writers: list[Writer]) -> None:
    """Start a server and writers, and add the latter and their users."""
    keeper.start()
    owner = keeper.wait()
    for _ in range(AGENTS):
        ledger = Ledger(len(writers), seed, tools=True)
        people[0].ledgers.append(ledger)
        writers.append(Agent(ledger, keeper.home))
    with Tallystick(owner.url, owner.token, timeout=60) as client:
        for name, number in PROGRAMS.items():
            key = client.keys.create_key(agent="torture", user=name, scopes=["all"]).key
            people.append(Person(name, key))
            for _ in range(number):
                ledger = Ledger(len(writers), seed, tools=False)
                people[-1].ledgers.append(ledger)
                writers.append(Program(ledger, keeper.home, key or ""))
    for writer in writers:
        writer.start()


def _kill(
    keeper: Keeper, writers: list[Writer], serving: int, starting: int, writes: int, random: Random,
    say: Callable[[str], None],
) -> None:  # fmt: skip
    """Kill at random moments until there are enough writes: so often while it serves, so often while it starts after that."""
    moments = sorted(random.randrange(writes) for _ in range(serving))
    during = Counter(random.randrange(serving) for _ in range(starting))
    began = time.monotonic()
    took = 3.0  # seconds from a start to the first answer, as it was last
    for number, moment in enumerate(moments):
        _written(writers, moment)
        time.sleep(random.uniform(0, 0.1))
        keeper.kill()
        for _ in range(during[number]):
            keeper.start()
            time.sleep(random.uniform(0, 1.3 * took))
            keeper.kill()
        started = time.monotonic()
        keeper.start()
        keeper.wait()
        took = time.monotonic() - started
        done = sum(during[one] + 1 for one in range(number + 1))
        say(f"{time.monotonic() - began:.0f} s: {done} kills, {_total(writers):,} writes, {took:.1f} s to start")
    _written(writers, writes)


def _written(writers: list[Writer], number: int) -> None:
    """Wait until so many writes are acknowledged."""
    last, since = -1, time.monotonic()
    while (total := _total(writers)) < number:
        if total != last:
            last, since = total, time.monotonic()
        faults = [writer.fault for writer in writers if writer.fault is not None]
        if faults or time.monotonic() - since > STUCK:
            raise Stuck("; ".join(faults) or f"No write was acknowledged for {STUCK:.0f} s, after {total:,}.")
        time.sleep(0.01)


def _total(writers: list[Writer]) -> int:
    return sum(writer.ledger.done.total() for writer in writers)


def _quiet(writers: list[Writer], report: Report) -> None:
    """Let every writer have its last write acknowledged and end."""
    for writer in writers:
        writer.enough()
    for writer in writers:
        writer.join(STUCK)
        if writer.is_alive():
            report.add("process", f"{writer.name} waits for an answer that does not come")
        elif writer.fault is not None:
            report.add("process", writer.fault)


def settled(owner: Owner, home: Path) -> None:
    """Wait until the index is current, and what was erased has left the files."""
    with Tallystick(owner.url, owner.token, timeout=60) as client:
        until = time.monotonic() + 10 * STUCK
        if (home / "tallystick.db").stat().st_size > gaps.LARGE:
            client.index.rebuild_index()
        while client.health.ready().index != "current" or not _scrubbed(home):
            if time.monotonic() > until:
                raise Stuck(f"The index is {client.health.ready()} still.")
            time.sleep(0.2)


def _scrubbed(home: Path) -> bool:
    path = home / "tallystick.db"
    with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
        return not database.execute(SCRUBBED).fetchone()[0]


def _complaints(keeper: Keeper) -> list[str]:
    logs = [log for log in (keeper.log, keeper.home / "logs" / "server.log") if log.exists()]
    lines = [line for log in logs for line in log.read_text("utf-8", "replace").splitlines()]
    return [line for line in lines if COMPLAINT.search(line)]


class Stuck(Exception):
    """It does not go on."""
