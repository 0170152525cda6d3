"""An acknowledged store_context of 8,000 tokens against raw sqlite3 inserting the same rows into the same tables."""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from tallystick.app import create_app, endpoints_of
from tallystick.caller import Caller
from tallystick.settings import Settings
from tallystick.store import MiniLm, Store
from tallystick_contract.operations import SCOPES

from tests.bench.recall import sentence, timed
from tests.bench.table import Row

COUNT = 25
WRITTEN = ("memories", "revisions", "memory_texts", "audit")
# What makes the database's own tables, apart from those that FTS5 makes by itself.
MADE = """SELECT type, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
AND (name NOT GLOB '*_words_*' AND name NOT GLOB '*_trigrams_*' OR type = 'trigger') ORDER BY type = 'trigger'"""
PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "cache_size=-65536", "mmap_size=268435456", "secure_delete=ON")


def measure() -> list[Row]:
    """Rows of the table: milliseconds a memory, medians. The indexer embeds all the while, as it does in life."""
    random = np.random.default_rng(13)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        store = Store.open(home, embedder=MiniLm())
        try:
            endpoint = endpoints_of(create_app(Settings(home=home), store))["store_context"]
            caller = Caller("bench", 1, "bench", frozenset(SCOPES), None)
            ours = []
            for number in range(COUNT):
                body = {"summary": sentence(random, 20), "context": sentence(random, 4_000)}
                ours.append(timed(endpoint, {**body, "conversation_id": f"nc-b{number}-20260529"}, caller))
            with sqlite3.connect(f"file:{home / 'tallystick.db'}?mode=ro", uri=True) as original:
                made = original.execute(MADE).fetchall()
                rows = {
                    table: original.execute(f"SELECT * FROM {table} ORDER BY rowid DESC LIMIT {COUNT}").fetchall()
                    for table in WRITTEN
                }
        finally:
            store.close()
        whole = _raw(Path(folder) / "whole.db", [sql for _, sql in made], rows)
        plain = _raw(Path(folder) / "plain.db", [sql for kind, sql in made if kind != "trigger"], rows)
    base, acknowledged = statistics.median(whole), statistics.median(ours)
    return [
        Row("raw sqlite3 inserts of the same rows, full text included", base * 1e3, "ms p50", 1.0),
        Row("the same without full text", statistics.median(plain) * 1e3, "ms p50", statistics.median(plain) / base),
        Row("store_context acknowledged", acknowledged * 1e3, "ms p50", acknowledged / base, "≤ 5"),
    ]


def _raw(path: Path, made: list[str], rows: dict[str, list[tuple[object, ...]]]) -> list[float]:
    database = sqlite3.connect(path, isolation_level=None)
    for statement in (*(f"PRAGMA {pragma}" for pragma in PRAGMAS), *made):
        database.execute(statement)
    took = []
    for number in range(COUNT):
        started = time.perf_counter()
        database.execute("BEGIN IMMEDIATE")
        for table, found in rows.items():
            database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(found[number]))})", found[number])
        database.execute("COMMIT")
        took.append(time.perf_counter() - started)
    database.close()
    return took
