"""`tallystick import` of a transcript against the least an importer does: parse each line, insert the rows that are kept."""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path

import numpy as np

from tests.bench.raw import Original
from tests.bench.recall import sentence, timed
from tests.bench.table import Row
from tests.capture.made import KEPT, SESSION, turns
from tests.e2e.process import answer, stop_owner

TURNS = 3_300  # 50 MB
TEXT = 400_000  # words, of which every text of the transcript is a piece
ROUNDS = 3
BATCH = 500  # rows a transaction


def measure() -> list[Row]:
    """Rows of the table: MB of transcript a second, medians, in turns, each time into a new home."""
    with tempfile.TemporaryDirectory() as folder:
        small = _written(Path(folder) / "small" / f"{SESSION}.jsonl", 1)
        large = _written(Path(folder) / "large" / "88888888-8888-4888-8888-888888888888.jsonl", TURNS)
        rounds = [_round(Path(folder) / str(number), small, large) for number in range(ROUNDS)]
        size = large.stat().st_size / 1e6
    base, reading, whole = (statistics.median(took) for took in zip(*rounds, strict=True))
    return [
        Row("json.loads and raw sqlite3 inserts, full text included", size / base, "MB/s", 1.0),
        Row("tallystick import --dry-run: read, clean, redact", size / reading, "MB/s", reading / base),
        Row("tallystick import", size / whole, "MB/s", whole / base),
    ]


def _round(folder: Path, small: Path, large: Path) -> tuple[float, float, float]:
    home = folder / "home"
    try:
        answer(home, "import", str(small))  # what a new home and a server's start take is not an import's
        reading = timed(answer, home, "import", str(large), "--dry-run")
        whole = timed(answer, home, "import", str(large))
    finally:
        stop_owner(home)
    original = Original(home / "tallystick.db")
    rows = original.last("messages", KEPT * TURNS)
    batches = [rows[start : start + BATCH] for start in range(0, len(rows), BATCH)]
    base = timed(_parsed, large) + sum(original.inserts(folder / "raw.db", batches))
    return base, reading, whole


def _written(path: Path, count: int) -> Path:
    random = np.random.default_rng(23)
    pool = sentence(random, TEXT)

    def piece(size: int) -> str:
        start = int(random.integers(len(pool) - size))
        return pool[start : start + size]

    path.parent.mkdir()
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in turns(count, piece))
    return path


def _parsed(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            json.loads(line)
