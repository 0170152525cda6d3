"""An embedder that remembers queries, and lets documents give way to them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from .embedding import Embedder, FloatArray, Span

REMEMBERED = 1024  # query vectors
THREADS = 4  # queries embedded at a time
KEPT = 256  # vectors of texts that are asked for again and again


class QueriesFirst:
    """Wraps any embedder. `query` is answered from memory where it can be; who embeds documents calls `give_way` between two."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.model = inner.model
        self.dimension = inner.dimension
        self._known: OrderedDict[str, FloatArray] = OrderedDict()
        self._kept: OrderedDict[str, FloatArray] = OrderedDict()
        self._lock = threading.Lock()
        self._quiet = threading.Condition(self._lock)
        self._in_flight = 0
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="query")

    def query(self, text: str) -> FloatArray:
        """The vector of a query."""
        with self._lock:
            if text in self._known:
                self._known.move_to_end(text)
                return self._known[text]
            self._in_flight += 1
        try:
            vector = self._inner.query(text)
        finally:
            with self._lock:
                self._in_flight -= 1
                if not self._in_flight:
                    self._quiet.notify_all()
        vector.setflags(write=False)
        with self._lock:
            _remember(self._known, text, vector, REMEMBERED)
        return vector

    def query_soon(self, text: str) -> Future[FloatArray]:
        """As `query`, on another thread: the model lets go of the interpreter, so its caller can search for words meanwhile."""
        return self._threads.submit(self.query, text)

    def kept(self, text: str) -> FloatArray:
        """The vector of a text that never changes, such as a persona's definition."""
        with self._lock:
            known = self._kept.get(text)
        if known is None:
            known = self._inner.documents([text])[0]
            with self._lock:
                _remember(self._kept, text, known, KEPT)
        return known

    def documents(self, texts: Sequence[str]) -> list[FloatArray]:
        """The vectors of some texts."""
        return self._inner.documents(texts)

    def windows(self, text: str) -> list[Span]:
        """See Embedder."""
        return self._inner.windows(text)

    def close(self) -> None:
        """Let go of the threads."""
        self._threads.shutdown()

    def give_way(self, seconds: float) -> None:
        """Wait until no query is being embedded, but not longer than this: documents must not starve either."""
        with self._quiet:
            self._quiet.wait_for(lambda: self._in_flight == 0, seconds)


def _remember(known: OrderedDict[str, FloatArray], text: str, vector: FloatArray, limit: int) -> None:
    known[text] = vector
    if len(known) > limit:
        known.popitem(last=False)
