"""The model that comes along, and queries before documents."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tallystick.store import MiniLm, StoreUnusable, embedding
from tallystick.store.queries_first import QueriesFirst

from .conftest import HashEmbedder


def test_near_and_far(model: MiniLm) -> None:
    query = model.query("When do we ship?")
    near, far = model.documents(["The release date was moved to March.", "Bananas are rich in potassium."])
    assert query.shape == (384,)
    assert query.dtype == np.float32
    assert abs(float(np.linalg.norm(query)) - 1) < 1e-5
    assert float(query @ near) > float(query @ far) + 0.2


def test_a_text_always_has_one_vector(model: MiniLm) -> None:
    alone = model.query("The pool was too small.")
    assert (model.documents(["x" * 900, "The pool was too small.", ""])[1] == alone).all()
    assert model.query("").shape == model.query("🎉 用户 \x01").shape == (384,)


def test_windows_cover_and_overlap(model: MiniLm) -> None:
    text = " ".join(f"Word{i} naïve 用户 🎉." for i in range(400))
    spans = model.windows(text)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert len(spans) > 3
    for (start, end), (next_start, next_end) in pairwise(spans):
        assert start < next_start < end < next_end
    assert model.windows("short") == [(0, 5)]
    assert model.windows("") == []


def test_a_long_text_is_cut_like_a_short_one(model: MiniLm, monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(f"Word{i} naïve, 用户\n" for i in range(3000))
    whole = model.windows(text)
    monkeypatch.setattr(embedding, "PIECE", 1000)
    assert model.windows(text) == whole


def test_a_mebibyte_of_symbols_costs_no_hundreds_of_mebibytes() -> None:
    code = """
import resource
from tallystick.store import MiniLm
model, text = MiniLm(), "!@#$%^&*()" * 104_857
model.documents(["warm"]), model.windows("warm")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model.documents([text]), model.windows(text)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 150 * 1024  # KiB


def test_other_files_are_refused(tmp_path: Path) -> None:
    fake = tmp_path / "model.onnx"
    fake.write_bytes(b"not a model")
    with pytest.raises(StoreUnusable, match=r"model\.onnx"):
        MiniLm(fake).query("x")


class Counting(HashEmbedder):
    """Counts queries, and takes its time for them."""

    asked = 0

    def query(self, text: str) -> np.ndarray:
        self.asked += 1
        time.sleep(0.2)
        return super().query(text)

    def documents(self, texts: Sequence[str]) -> list[np.ndarray]:
        return super().documents(texts)


def test_queries_are_remembered() -> None:
    inner = Counting()
    first = QueriesFirst(inner)
    vector = first.query("a")
    assert first.query("a") is vector
    first.query("b")
    assert inner.asked == 2
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1


def test_documents_give_way() -> None:
    embedder = QueriesFirst(Counting())
    asking = threading.Thread(target=embedder.query, args=("a",))
    started = time.monotonic()
    asking.start()
    while embedder._in_flight == 0:
        time.sleep(0.001)
    embedder.give_way(5)
    assert time.monotonic() - started >= 0.2
    asking.join()
    started = time.monotonic()
    embedder.give_way(60)
    assert time.monotonic() - started < 50, "nobody asks any more"
