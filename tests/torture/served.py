"""Whether a server serves exactly what was acknowledged, over REST."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from random import Random

from tallystick_client import Tallystick, errors
from tallystick_client.models import FoundMemory, FoundMessage, MemoryItem

from tests.torture.ledger import Kept, Talk
from tests.torture.person import Person
from tests.torture.report import Report
from tests.torture.texts import TAGS, WORD

WORDS = 90  # in one query, whose answer then fits one page


def check(client: Tallystick, person: Person, sample: int, random: Random, report: Report) -> None:
    """Compare all of a user's records with what was acknowledged.

    Args:
        client: speaks for the user.
        person: the user.
        sample: how many memories are read one by one, and how many words are looked for by each of the slower searches;
            lists and the search by words are gone through whole.
        random: chooses them.
        report: takes what is wrong.
    """
    memories = person.memories
    listed = _listed(client, person, memories, report)
    for memory_id in _some(random, memories.keys() & listed, sample):
        detail = client.memories.get_memory_detail(memory_id=memory_id)
        got = Kept(detail.title, detail.summary, detail.context, tuple(detail.tags), detail.kind, detail.revision)
        report.expect("stale", f"memory {memory_id}", got, memories[memory_id])
    for memory_id in person.erased:
        if not _unknown(client.memories.get_memory_detail, memory_id=memory_id):
            report.add("stale", "erased and still read:", [memory_id])
    for tag in TAGS:
        tagged = Counter(item.id for item in client.memories.iter_memories(tags=tag, status="all", limit=100))
        wanted = {one for one, kept in memories.items() if tag in kept.tags}
        _same(f"memory tagged {tag}", tagged, wanted, person.erased, report)
    _talks(client, person, report)
    report.expect("stale", f"facts of {person.name}", client.facts.get_user_facts().user_facts, person.facts)
    _words(client, person, report)
    _searches(client, person, sample, random, report)


def _listed(client: Tallystick, person: Person, memories: dict[str, Kept], report: Report) -> set[str]:
    pages = client.memories.iter_recall_memory(detail="full", status="all", limit=50, max_tokens=16384)
    items: list[MemoryItem] = list(pages)
    counts = Counter(item.id for item in items)
    _same("memory", counts, memories, person.erased, report)
    for item in items:
        kept = memories.get(item.id)
        if kept is not None:
            got = (item.title, item.body, tuple(item.tags), item.kind, item.revision, item.status)
            wanted = (kept.title, kept.body, kept.tags, kept.kind, kept.revision, "active")
            report.expect("stale", f"memory {item.id}", got, wanted)
    return set(counts)


def _same(what: str, got: Counter[str], wanted: Collection[str], erased: set[str], report: Report) -> None:
    """Compare the ids in a list with those that are to be there, each once."""
    report.add("lost", what, set(wanted) - got.keys())
    report.add("stale", f"erased and still listed: {what}", got.keys() & erased)
    more = {*(got.keys() - set(wanted)), *(one for one, count in got.items() if count > 1)}
    report.add("doubled", what, more - erased)


def _talks(client: Tallystick, person: Person, report: Report) -> None:
    talks = person.talks
    sessions = {item.id: item for item in client.sessions.iter_sessions(limit=100)}
    _same("session", Counter(sessions.keys()), talks, person.silenced, report)
    for session_id in person.silenced:
        if not _unknown(client.sessions.memvault_session_read, session=session_id):
            report.add("stale", "erased and still read:", [session_id])
    for session_id in talks.keys() & sessions.keys():
        wanted = talks[session_id]
        said = list(_messages(client, session_id))
        _same(f"message of {session_id}", Counter(key for key, _ in said), wanted.messages, set(), report)
        got = Talk(sessions[session_id].title, dict(said))
        report.expect("stale", f"session {session_id}", got, wanted)
        report.expect("stale", f"order of {session_id}", list(got.messages), list(wanted.messages))
        report.expect("stale", f"count of {session_id}", sessions[session_id].message_count, len(wanted.messages))


def _messages(client: Tallystick, session_id: str) -> Iterator[tuple[str, str]]:
    offset: int | None = 0
    while offset is not None:
        page = client.sessions.memvault_session_read(session=session_id, limit=1000, offset=offset)
        yield from ((message.id or "", message.content) for message in page.messages)
        offset = page.next_offset


def _words(client: Tallystick, person: Person, report: Report) -> None:
    """Every word that was ever said, by the search among words: those in force find their record, the others nothing."""
    live = person.live()
    for some in _groups(sorted(live)):
        found = client.vault.memvault_search(query=" OR ".join(some), limit=100)
        got = {_record(result) for result in found.results}
        missing = {word for word in some if live[word] not in got}
        report.add("lost", "not found by its words:", (f"{live[word]} by {word}" for word in missing))
        report.add("stale", "found by words of others:", got - {live[word] for word in some})
    for some in _groups(sorted(person.dead())):
        found = client.vault.memvault_search(query=" OR ".join(some), limit=100)
        report.add("stale", "found by words it no longer has:", (_record(result) for result in found.results))


def _searches(client: Tallystick, person: Person, sample: int, random: Random, report: Report) -> None:
    """Some words by the literal text and by meaning."""
    dead, erased = person.dead(), person.erased
    literal = {word: one for one, kept in person.memories.items() for word in WORD.findall(kept.title + kept.body)}
    for word in _some(random, literal, sample):
        found = {item.id for item in client.memories.recall_memory(query=word, status="all").items}
        report.expect("lost", f"found by the literal {word}", found, {literal[word]})
        hits = client.memories.search_memories(query=word, max_results=20).memories
        if literal[word] not in {hit.memory_id for hit in hits}:
            report.add("lost", f"not found by the meaning of {word}:", [literal[word]])
    for word in _some(random, dead, sample):
        items = client.memories.recall_memory(query=word, status="all").items
        report.add("stale", f"found by the literal {word}:", (item.id for item in items))
        for hit in client.memories.search_memories(query=word, max_results=20).memories:
            if hit.memory_id in erased or word in f"{hit.title} {hit.summary}":
                report.add("stale", f"found by the meaning of {word}:", [hit.memory_id])


def _record(result: FoundMemory | FoundMessage) -> str:
    return result.memory if isinstance(result, FoundMemory) else result.session


def _unknown(read: Callable[..., object], **which: str) -> bool:
    try:
        read(**which)
    except errors.NotFound:
        return True
    return False


def _groups(words: list[str]) -> Iterator[list[str]]:
    rest = iter(words)
    while some := list(islice(rest, WORDS)):
        yield some


def _some(random: Random, of: Collection[str], number: int) -> list[str]:
    return random.sample(sorted(of), min(number, len(of)))
