"""An acknowledged store_context of 8,000 tokens against raw sqlite3 inserting the same rows into the same tables."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

import numpy as np
from tallystick.app import create_app, endpoints_of
from tallystick.caller import Caller
from tallystick.settings import Settings
from tallystick.store import MiniLm, Store
from tallystick_contract.operations import SCOPES

from tests.bench.raw import Original, Table
from tests.bench.recall import sentence, timed
from tests.bench.table import Row

COUNT = 25
WRITTEN: tuple[Table, ...] = ("memories", "revisions", "memory_texts", "audit")


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
            original = Original(home / "tallystick.db")
            rows = list(zip(*(original.last(table, COUNT) for table in WRITTEN), strict=True))
        finally:
            store.close()
        whole = original.inserts(Path(folder) / "whole.db", rows)
        plain = original.inserts(Path(folder) / "plain.db", rows, full_text=False)
    base, acknowledged = statistics.median(whole), statistics.median(ours)
    return [
        Row("raw sqlite3 inserts of the same rows, full text included", base * 1e3, "ms p50", 1.0),
        Row("the same without full text", statistics.median(plain) * 1e3, "ms p50", statistics.median(plain) / base),
        Row("store_context acknowledged", acknowledged * 1e3, "ms p50", acknowledged / base, "≤ 5"),
    ]
