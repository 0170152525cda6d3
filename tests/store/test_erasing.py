"""Erasing leaves nothing behind, at once in every search, soon in every file."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tallystick.store import Store, gaps, meta, vector_rows

from .conftest import HashEmbedder, count, literal, meaning, put, user, words
from .test_indexing import counts

SECRET = "quokkasaurus"
TABLES = (
    "memories",
    "revisions",
    "memory_tags",
    "memory_texts",
    "vectors",
    "operations",
    "facts",
    "conversations",
    "outbox",
    "memory_issues",
    "sent_writes",
)


def holding(home: Path, text: str) -> list[str]:
    return [str(path) for path in home.rglob("*") if path.is_file() and text.encode() in path.read_bytes().lower()]


def wait_scrubbed(store: Store, text: str) -> None:
    until = time.monotonic() + 20
    while holding(store.home, text):
        assert time.monotonic() < until, holding(store.home, text)
        time.sleep(0.05)


def test_a_memory(store: Store, owner: int) -> None:
    others = [put(store, owner, f"note {i}", f"body {i} " * 50, conversation_id="c").id for i in range(30)]
    made = put(store, owner, f"the {SECRET}", f"{SECRET} body", conversation_id="c", tags=[SECRET], user_query=SECRET)
    later = put(store, owner, "later", "later", conversation_id="c")
    with store.write(owner) as unit:
        unit.memories.update(made.id, {"body": f"{SECRET} again"}, agent="a")
        unit.operations.add(
            agent="a",
            key="k",
            name="store_context",
            args_hash="h",
            answer=SECRET,
            subject=made.id,
            now=datetime.now(UTC),
        )
    assert store.wait_indexed(30)
    assert made.id in meaning(store, owner, f"the {SECRET}", 1)
    assert words(store, owner, SECRET) == [made.id, later.id]
    with store.write(owner) as unit:
        assert unit.memories.erase(made.id)
    assert words(store, owner, SECRET) == literal(store, owner, SECRET, status="all") == []
    assert made.id not in meaning(store, owner, f"the {SECRET}")
    with store.read(owner) as unit:
        assert unit.memories.get(made.id) is None
        assert unit.revisions.page(made.id, 9) == []
        assert unit.operations.find("a", "k") is None
    assert store.wait_indexed(30)
    memories, rows, elements = counts(store, owner)
    assert memories == len(others) + 1
    assert rows == elements
    wait_scrubbed(store, SECRET)
    assert set(words(store, owner, "note", status="all")) >= set(others)


def test_the_merged_ones_stay_superseded(store: Store, owner: int) -> None:
    a = put(store, owner, "a")
    b = put(store, owner, "b", parents=[a.revision])
    with store.write(owner) as unit:
        unit.memories.erase(b.id)
        left = unit.memories.get(a.id)
    assert left is not None
    assert (left.status, left.superseded_by) == ("superseded", None)
    assert literal(store, owner, "a") == words(store, owner, "a") == []
    assert literal(store, owner, "a", status="all") == literal(store, owner, "a", status="superseded") == [a.id]
    with store.write(owner) as unit:
        unit.memories.update(a.id, {"status": "active"}, agent="a")
    assert literal(store, owner, "a") == [a.id]


def vectors_of(store: Store, owner: int, memory_id: str) -> list[bytes]:
    with store.read(owner) as unit:
        rows = vector_rows.by_memory(unit.driver, owner, store.embedder.model, [memory_id])
    return [vector_rows.encoded(vector) for _, _, vector in rows]


def test_the_vector_index_holds_vectors_and_ids_and_no_text(open_store: Callable[..., Store], home: Path) -> None:
    store = open_store()
    owner = user(store, "ann")
    erased = put(store, owner, f"the {SECRET}", SECRET, tags=[SECRET], conversation_id=SECRET, agent=SECRET).id
    for i in range(600):  # more than Chroma keeps in its log alone
        put(store, owner, f"note {i} of {SECRET}", f"body {i}")
    assert store.wait_indexed(60)
    gone = vectors_of(store, owner, erased)
    assert gone
    assert any(vector in file for vector in gone for file in contents(home / "chroma"))
    assert erased.encode() in b"".join(contents(home / "chroma"))
    assert holding(home / "chroma", SECRET) == []
    with store.write(owner) as unit:
        unit.memories.erase(erased)
    assert store.wait_indexed(60)
    until(lambda: not any(vector in file for vector in gone for file in contents(home, "tallystick.db*")))
    next_generation = open_store(HashEmbedder(model="another"))
    assert next_generation.wait_indexed(60)
    until(
        lambda: next_generation.vectors.whole and counts(next_generation, owner)[1] == counts(next_generation, owner)[2]
    )
    for file in contents(home):
        assert not any(vector in file for vector in gone)
        assert erased.encode() not in file
    memories, rows, elements = counts(next_generation, owner)
    assert memories == 600
    assert rows == elements


# More threads than glibc has heaps, so that Chroma's threads get heaps that texts were in before.
CROWDED = """
import sys, threading
from pathlib import Path
import numpy as np
from tallystick.store.chroma import Chroma

chroma, secret = Chroma(Path(sys.argv[1]), 1), sys.argv[2].encode() * 14_000
bytearray(30_000_000)  # gone at once: from here on glibc keeps large blocks to give them out again
over = threading.Event()

def talk():
    for _ in range(3):
        blocks = [secret + b"." for _ in range(40)]
        del blocks
    over.wait()

threads = [threading.Thread(target=talk) for _ in range(40)]
for thread in threads:
    thread.start()
for owner in range(1, 21):
    chroma.upsert(owner, [(owner, "mem_1", np.ones(384, np.float32))])
chroma.upsert(1, [(n, "mem_1", np.ones(384, np.float32)) for n in range(100, 1600)])
over.set()
chroma.close()
"""


def test_the_vector_index_writes_no_memory_that_was_given_back(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", CROWDED, str(tmp_path / "chroma"), SECRET], check=True, timeout=120)
    files = contents(tmp_path / "chroma", "data_level0.bin")
    assert len(files) == 20
    assert holding(tmp_path, SECRET) == []


def contents(folder: Path, names: str = "*") -> list[bytes]:
    return [path.read_bytes() for path in folder.rglob(names) if path.is_file()]


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_conversation_is_named_as_long_as_it_has_memories(store: Store, owner: int) -> None:
    one, two = (put(store, owner, conversation_id=SECRET).id for _ in range(2))
    with store.read(owner) as unit:
        assert unit.conversations.mark(SECRET)
    for memory_id, marked in ((one, True), (two, False)):
        with store.write(owner) as unit:
            unit.memories.erase(memory_id)
        with store.read(owner) as unit:
            assert unit.conversations.mark(SECRET) is not marked
            unit.store.marks.forget(owner)
    wait_scrubbed(store, SECRET)


def test_all_of_a_user(store: Store, owner: int) -> None:
    stranger = user(store, "bob")
    kept = put(store, stranger, "mine", "mine")
    for i in range(5):
        put(store, owner, f"{SECRET} {i}", tags=["x"], conversation_id="c")
    with store.write(owner) as unit:
        unit.facts.put({"animal": SECRET})
        unit.conversations.mark("c")
        unit.keys.create("ann", "claude", [])
        unit.audit.add(
            request_id="r", user="ann", agent="a", operation="o", outcome="ok", duration_ms=1, now=datetime.now(UTC)
        )
    assert store.wait_indexed(30)
    with store.write(owner) as unit:
        counts_of = {
            "memories": 5,
            "revisions": 5,
            "operations": 0,
            "facts": 1,
            "sessions": 0,
            "messages": 0,
            "links": 0,
        }
        assert unit.erase_owner() == counts_of
    assert meaning(store, owner, SECRET) == words(store, owner, SECRET) == []
    assert store.wait_indexed(30)
    with store.read(owner) as unit:
        left = {
            table: unit.driver.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in TABLES
            if table != "vectors"
        }
        assert unit.keys.list("ann")
        assert len(unit.audit.page(9)) == 1
        assert count(unit, status="all") == 0
    assert {table for table, count in left.items() if count} == {"memories", "revisions", "memory_texts"}
    assert left["memories"] == 1
    assert counts(store, owner) == (0, set(), set())
    assert counts(store, stranger)[0] == 1
    assert meaning(store, stranger, "mine") == [kept.id]
    wait_scrubbed(store, SECRET)


def test_nothing_is_left_between_the_rows_of_pages(store: Store, owner: int) -> None:
    """SQLite moves rows between pages as they grow and go, and leaves the old bytes where they were."""
    made = [put(store, owner, f"note {i}", f"quokka{i:04d}x " + "y" * (i * 37 % 700)).id for i in range(400)]
    for i in range(0, 400, 3):
        with store.write(owner) as unit:
            unit.memories.update(made[i], {"body": f"quokka{i:04d}x " + "z" * (i * 53 % 3000)}, agent="a")
    assert store.wait_indexed(30)
    for i in range(0, 400, 2):
        with store.write(owner) as unit:
            unit.memories.erase(made[i])
    until = time.monotonic() + 30
    while left := quokkas(store.home) - set(range(1, 400, 2)):
        assert time.monotonic() < until, f"{len(left)} of 200 erased words are in the files"
        time.sleep(0.1)
    assert quokkas(store.home) == set(range(1, 400, 2))


def quokkas(home: Path) -> set[int]:
    files = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    return {int(number) for data in files for number in re.findall(rb"quokka(\d{4})x", data)}


def test_a_large_database_is_written_anew_when_asked(store: Store, owner: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaps, "LARGE", 1)
    made = [put(store, owner, f"note {i}", f"quokka{i:04d}x " + "y" * (i * 37 % 700)).id for i in range(400)]
    assert store.wait_indexed(30)
    for memory_id in made[::2]:
        with store.write(owner) as unit:
            unit.memories.erase(memory_id)
    until = time.monotonic() + 30
    while not mark(store, "pages.scrub") or mark(store, "fulltext.scrub"):
        assert time.monotonic() < until
        time.sleep(0.05)
    with store.write(0) as unit:
        assert unit.rebuild_index()
    while mark(store, "pages.scrub") or store.state().rebuild is not None:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert quokkas(store.home) == set(range(1, 400, 2))


def mark(store: Store, name: str) -> str | None:
    with store.read(0) as unit:
        return meta.get(unit.driver, name)
