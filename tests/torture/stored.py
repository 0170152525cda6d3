"""Whether the files of a stopped home agree with each other and with what was acknowledged. Looks at a copy."""

from __future__ import annotations

import mmap
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import apsw
import numpy as np
from tallystick.store.checkup import look_at_database, look_at_vectors
from tallystick.store.chroma import Chroma
from tallystick.store.embedding import Embedder
from tallystick.store.split import split
from tallystick.store.vector_rows import decoded

from tests.torture.person import Person
from tests.torture.report import Report
from tests.torture.texts import WORD

FULL_TEXT = {"memory_words": "memories", "memory_trigrams": "memories", "message_words": "messages"}
ORPHANS = {
    "memory without text": "SELECT id FROM memories WHERE n NOT IN (SELECT n FROM memory_texts)",
    "text without memory": "SELECT n FROM memory_texts WHERE n NOT IN (SELECT n FROM memories)",
    "memory without vector": "SELECT id FROM memories m WHERE NOT EXISTS"
    " (SELECT 1 FROM vectors v WHERE v.memory_id = m.id AND v.part = 0)",
    "vector without memory": "SELECT n FROM vectors WHERE memory_id NOT IN (SELECT id FROM memories)",
    "vector of another model": "SELECT n FROM vectors WHERE model != (SELECT value FROM meta WHERE name = 'embedding.model')",
    "session without vector": "SELECT id FROM sessions s WHERE NOT EXISTS"
    " (SELECT 1 FROM session_vectors v WHERE v.session_n = s.n)",
    "vector without session": "SELECT n FROM session_vectors WHERE session_n NOT IN (SELECT n FROM sessions)",
    "memory without its revision": "SELECT id FROM memories m WHERE NOT EXISTS"
    " (SELECT 1 FROM revisions r WHERE r.memory_id = m.id AND r.revision = m.revision)",
    "waiting for an index": "SELECT memory_id FROM outbox UNION ALL SELECT session_n FROM session_outbox",
    "not ended in order": "SELECT name FROM meta WHERE name = 'index.unclean' AND value != '0'",
    "operation without its audit row": "SELECT o.id FROM operations o WHERE NOT EXISTS (SELECT 1 FROM audit a"
    " WHERE a.time = o.created AND a.owner = o.owner AND a.operation = o.name AND a.subject IS o.subject)",
    "operation without its write": "SELECT id FROM operations WHERE name NOT LIKE 'erase_%' AND subject NOT IN"
    " (SELECT id FROM memories UNION ALL SELECT id FROM sessions UNION ALL SELECT id FROM keys)",
    "operation of an erasing that was not done": "SELECT id FROM operations WHERE name LIKE 'erase_%'"
    " AND (subject IN (SELECT id FROM memories) OR subject IN (SELECT id FROM sessions))",
}
"""What must find nothing, by what it would be."""

WRITES = (
    "SELECT a.operation, count(*) FROM audit a JOIN users u ON u.id = a.owner WHERE u.name = ? AND a.operation != 'create_key'"
    " GROUP BY 1"
)


def check(
    home: Path, people: Sequence[Person], embedder: Embedder, sample: int, random: Random, report: Report
) -> None:
    """Look at the files of a home that nobody owns.

    Args:
        home: its folder.
        people: its users.
        embedder: the one it was served with.
        sample: how many vectors are made anew and looked up.
        random: chooses them.
        report: takes what is wrong, and the counts.
    """
    copy = home.parent / "copy"
    shutil.copytree(home, copy)
    found = look_at_database(copy)
    assert found is not None
    report.expect("index", "the database", (found.fault, found.behind), (None, 0))
    database = apsw.Connection(str(copy / "tallystick.db"))
    try:
        for path in (copy / "tallystick.db", copy / "chroma" / "chroma.sqlite3"):
            with apsw.Connection(str(path)) as connection:
                verdict = [row[0] for row in connection.execute("PRAGMA quick_check")]
                report.expect("index", f"{path.name} by SQLite {apsw.sqlite_lib_version()}", verdict, ["ok"])
        _full_text(database, people, report)
        for what, query in ORPHANS.items():
            report.add("index", f"{what}:", (row[0] for row in database.execute(query)))
        for person in people:
            done = Counter(dict(database.execute(WRITES, (person.name,))))
            report.add("lost", f"writes of {person.name} without an audit row:", (person.done - done).items())
            report.add("doubled", f"writes of {person.name} done once more:", (done - person.done).items())
        _vectors(database, copy, embedder, sample, random, report)
        _bytes(copy / "tallystick.db", people, report)
    finally:
        database.close()
    shutil.rmtree(copy)


def _full_text(database: apsw.Connection, people: Sequence[Person], report: Report) -> None:
    counts = {name: _count(database, name) for name in ("memories", "messages")}
    report.expect("index", "memories", counts["memories"], sum(len(person.memories) for person in people))
    for index, records in FULL_TEXT.items():
        report.expect("index", f"rows of {index}", _count(database, f"{index}_docsize"), counts[records])
        try:
            database.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
        except apsw.Error as error:
            report.add("index", f"{index} is not what it is made of: {error}")
    texts = "SELECT title || ' ' || context || ' ' || body || ' ' || literal FROM memory_texts"
    said = {word for (text,) in database.execute(texts) for word in WORD.findall(text)}
    report.add("stale", "still among the texts of memories:", said & set[str]().union(*(one.dead() for one in people)))
    report.lines.append(
        f"{counts['memories']:,} memories and {counts['messages']:,} messages, as many in each full-text index"
    )


def _vectors(
    database: apsw.Connection, home: Path, embedder: Embedder, sample: int, random: Random, report: Report
) -> None:
    total = _count(database, "vectors")
    found = look_at_vectors(home)
    assert found is not None
    report.expect("index", "the vector index", (found.fault, found.vectors), (None, total))
    if found.fault is not None:
        return
    generation = _value(database, "SELECT coalesce((SELECT value FROM meta WHERE name = 'chroma.generation'), 1)")
    chroma = Chroma(home / "chroma", int(generation))
    blobs: dict[int, tuple[int, bytes]] = {}
    for (owner,) in list(database.execute("SELECT DISTINCT owner FROM vectors")):
        rows = dict(database.execute("SELECT n, vector FROM vectors WHERE owner = ?", (owner,)))
        known = chroma.ids(owner)
        report.add("index", "vector that Chroma lacks:", rows.keys() - known)
        report.add("index", "vector that Chroma has and nobody else:", known - rows.keys())
        blobs |= {number: (owner, blob) for number, blob in rows.items()}
    looked_up = random.sample(sorted(blobs), min(sample, len(blobs)))
    for number in looked_up:
        owner, blob = blobs[number]
        if number not in chroma.nearest(owner, decoded(blob), 10):
            report.add("index", "vector that Chroma does not find by itself:", [number])
    chroma.close()
    made = _made_anew(database, embedder, sample, random, report)
    report.lines.append(f"{total:,} vectors, as many in Chroma; {len(looked_up):,} looked up, {made:,} made anew")


def _made_anew(database: apsw.Connection, embedder: Embedder, sample: int, random: Random, report: Report) -> int:
    """Compare the vectors of some memories with those of their texts; how many there were."""
    ids = [row[0] for row in database.execute("SELECT id FROM memories ORDER BY id")]
    made = 0
    for memory_id in random.sample(ids, min(sample, len(ids))):
        (text,) = database.execute(
            "SELECT r.title, r.summary, r.body FROM memories m JOIN revisions r ON r.memory_id = m.id AND r.revision = m.revision"
            " WHERE m.id = ?",
            (memory_id,),
        )
        parts = {part.number: part.text for part in split(str(text[0]), str(text[1]), str(text[2]), embedder.windows)}
        rows = dict(database.execute("SELECT part, vector FROM vectors WHERE memory_id = ?", (memory_id,)))
        report.expect("index", f"vectors of {memory_id}", sorted(rows), sorted(parts))
        for number in parts.keys() & rows.keys():
            made += 1
            likeness = float(np.dot(embedder.documents([parts[number]])[0], decoded(rows[number])))
            if likeness < 0.999:
                report.add("stale", f"vector {number} of {memory_id} is of another text:", [f"cosine {likeness:.3f}"])
    return made


def check_logs(home: Path, people: Sequence[Person], report: Report) -> None:
    """Look for the words of erased records in the logs of a home. To be called before anybody searches for them: queries are
    logged, too."""
    for path in (home / "logs").iterdir():
        _bytes(path, people, report)


def _bytes(path: Path, people: Sequence[Person], report: Report) -> None:
    """Look for the words of erased records in a file itself: in its rows, and in the bytes between them."""
    forgotten = set[str]().union(*(one.forgotten for one in people))
    left = _said_in(path) & forgotten if path.stat().st_size else set[str]()
    report.add("stale", f"erased and still in {path.name}:", left)
    report.lines.append(f"{len(forgotten):,} erased words; {len(left):,} of them left in {path.name}")


def _said_in(path: Path) -> set[str]:
    word = re.compile(WORD.pattern.encode())
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pages:
        return {found.group().decode() for found in word.finditer(pages)}


def _count(database: apsw.Connection, table: str) -> int:
    return int(_value(database, f"SELECT count(*) FROM {table}"))


def _value(database: apsw.Connection, query: str) -> Any:
    row = database.execute(query).fetchone()
    assert row is not None
    return row[0]
