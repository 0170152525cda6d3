"""recall_context against embedding its query alone, at 1,000 and 10,000 memories of five sentences each."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from tallystick.app import create_app, endpoints_of
from tallystick.caller import Caller
from tallystick.settings import Settings
from tallystick.store import MemoryDraft, MiniLm, Store
from tallystick.store.embedding import FloatArray
from tallystick_contract.operations import SCOPES

from tests.bench.table import Row

SIZES = (1_000, 10_000)
QUERIES = 120
VOCABULARY = 8_000  # words, drawn by Zipf's law as words of a language are
STOPPED = 130  # the most common of them stand for stop words, which no query is searched by


class QuickDocuments:
    """The real model for queries; a document gets the real vector of one of 400 sentences with noise on it, since
    embedding 10,000 takes minutes and is not what is measured here."""

    def __init__(self) -> None:
        self._model = MiniLm()
        self._random = np.random.default_rng(7)
        self._seeds = np.stack(self._model.documents([sentence(self._random, 12) for _ in range(400)]))
        self.model, self.dimension, self.windows = self._model.model, self._model.dimension, self._model.windows

    def query(self, text: str) -> FloatArray:
        return self._model.query(text)

    def documents(self, texts: Sequence[str]) -> list[FloatArray]:
        chosen = self._seeds[self._random.integers(len(self._seeds), size=len(texts))]
        rows = chosen + 0.04 * self._random.standard_normal(chosen.shape).astype(np.float32)
        return list(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def measure() -> list[Row]:
    """Rows of the table: milliseconds a call, medians, each query new to the cache of query vectors."""
    random = np.random.default_rng(11)
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "home", embedder=QuickDocuments())
        try:
            app = create_app(Settings(home=Path(folder) / "home"), store)
            endpoints = endpoints_of(app)
            with store.write(0) as unit:
                owner = unit.users.ensure("bench")
            caller = Caller("bench", owner, "bench", frozenset(SCOPES), None)
            recall = [Row("embedding the query alone", 0, "ms p50", 1.0)]
            held = 0
            for size in SIZES:
                _fill(store, owner, size - held, random)
                held = size
                assert store.wait_indexed(600)
                queries = [sentence(random, 12, STOPPED) for _ in range(QUERIES)]
                alone, whole = [], []
                for number, query in enumerate(queries):  # in turns, each query new to the cache of query vectors
                    if number % 2:
                        alone.append(timed(store.embedder.query, query))
                    else:
                        whole.append(timed(endpoints["recall_context"], {"query": query}, caller))
                base, found = statistics.median(alone), statistics.median(whole)
                recall[0] = Row(recall[0].what, base * 1e3, "ms p50", 1.0)
                aim = "≤ 1.5" if size == SIZES[-1] else ""
                recall.append(Row(f"recall_context at {size:,} memories", found * 1e3, "ms p50", found / base, aim))
            return recall
        finally:
            store.close()


def _fill(store: Store, owner: int, count: int, random: np.random.Generator) -> None:
    for start in range(0, count, 500):
        with store.write(owner) as unit:
            for number in range(start, min(start + 500, count)):
                summary = sentence(random, 14)
                body = ". ".join(sentence(random, 12) for _ in range(4))
                unit.memories.create(
                    MemoryDraft(
                        kind="summary",
                        title=summary,
                        summary=summary,
                        body=body,
                        agent="bench",
                        conversation_id=f"nc-bench{number // 20}-20260529",
                    )
                )


def sentence(random: np.random.Generator, words: int, first: int = 1) -> str:
    ranks = (first * (VOCABULARY / first) ** random.random(words)).astype(int)  # density falls as 1/rank
    return " ".join(word(int(rank)) for rank in ranks)


@lru_cache(maxsize=VOCABULARY)
def word(rank: int) -> str:
    """A made-up word for each rank, the common ones short."""
    letters, number = "", rank * 7 + 3
    while number:
        number, digit = divmod(number, 95)
        letters += "bcdfghjklmnprstvwxz"[digit % 19] + "aeiou"[digit // 19]
    return letters


def timed(call: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - started
