"""Sessions: memvault_search against raw FTS5, and the first page of a long session against a late one."""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from tallystick.app import create_app, endpoints_of
from tallystick.caller import Caller
from tallystick.endpoint import Endpoint
from tallystick.settings import Settings
from tallystick.store import MessageDraft, SessionDraft, Store
from tallystick.store.expression import confined, readings
from tallystick.store.text import scope
from tallystick_contract.operations import SCOPES

from tests.bench.recall import QuickDocuments, sentence, word
from tests.bench.table import Row

OWNERS = 20
EACH = 500  # messages of a session
WORDS = 40  # of a message
QUERIES = 30  # of each kind
TURNS = 2  # of each query, ours and raw
LONG, PAGE, LATE = 100_000, 50, 2_000  # messages of the long session, of a page, and which page is late
PRAGMAS = ("cache_size=-16384", "mmap_size=268435456", "temp_store=MEMORY", "query_only=ON")
RAW = (
    "SELECT rowid, bm25(message_words, 1.0, 1.0, 0.0) AS score FROM message_words WHERE message_words MATCH ?"
    " ORDER BY score, rowid DESC LIMIT 10",
    "SELECT count(*) FROM message_words WHERE message_words MATCH ?",
)


def search(size: int) -> list[Row]:
    """Rows of the table, one a kind of query: CPU milliseconds of the calling thread, medians, ours and raw in turns.

    Raw is the same expression with its scope over the same index: the best ten row numbers, and how many there are. Ours
    looks among memories too, of which there are none, and gives the messages with their snippets.
    """
    random = np.random.default_rng(17)
    with _opened() as (store, database, endpoints):
        said: dict[int, list[str]] = {}
        for owner in _owners(store):
            said[owner] = [_fill(store, owner, str(n), EACH, random)[0] for n in range(size // OWNERS // EACH)]
        assert store.wait_indexed(600)
        raw = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        for pragma in PRAGMAS:
            raw.execute(f"PRAGMA {pragma}")

        def counted(expression: str) -> int:
            raw.execute(RAW[0], [expression]).fetchall()
            found: int = raw.execute(RAW[1], [expression]).fetchone()[0]
            return found

        endpoint, rows = endpoints["memvault_search"], []
        for kind, made in _kinds(random).items():
            ours: list[float] = []
            theirs: list[float] = []
            hits = []
            for _ in range(QUERIES):
                owner = int(random.choice(list(said)))
                query = made(said[owner])
                expression = confined(next(readings(query))[0], [scope(owner)])
                for _ in range(TURNS):
                    ours.append(_spent(endpoint, {"query": query}, _caller(owner)))
                    theirs.append(_spent(counted, expression))
                hits.append(counted(expression))
            base, found = statistics.median(theirs), statistics.median(ours)
            what = f"{kind}: {statistics.median(hits):,.0f} found, raw {base * 1e3:.3g} ms"
            rows.append(Row(what, found * 1e3, "ms CPU", found / base, "≤ 2"))
        raw.close()
        return rows


def pages() -> list[Row]:
    """Rows of the table: CPU milliseconds of the calling thread, medians, the pages in turns."""
    with _opened() as (store, _, endpoints):
        owner = _owners(store)[0]
        _fill(store, owner, "long", LONG, np.random.default_rng(19))
        asked = {"session": "long", "limit": PAGE}
        first: list[float] = []
        late: list[float] = []
        for _ in range(QUERIES):
            for took, page in ((first, 1), (late, LATE)):
                given = {**asked, "offset": (page - 1) * PAGE}
                took.append(_spent(endpoints["memvault_session_read"], given, _caller(owner)))
    base, found = statistics.median(first), statistics.median(late)
    return [
        Row("page 1", base * 1e3, "ms CPU", 1.0),
        Row(f"page {LATE:,}", found * 1e3, "ms CPU", found / base, "≤ 1.3"),
    ]


def _kinds(random: np.random.Generator) -> Mapping[str, Callable[[list[str]], str]]:
    """How a query of each kind is made; it is given messages of its owner."""

    def drawn(low: int, high: int) -> str:
        return word(int(random.integers(low, high)))

    def phrase(said: list[str]) -> str:
        words = str(random.choice(said)).split()
        at = int(random.integers(len(words) - 1))
        return f'"{words[at]} {words[at + 1]}"'

    return {
        "a rare word": lambda _: drawn(5_000, 7_900),
        "two words, both": lambda _: f"{drawn(40, 80)} AND {drawn(150, 300)}",
        "a phrase of two words": phrase,
        "a common word": lambda _: drawn(8, 12),
        "any of eight words": lambda _: " OR ".join(drawn(100, 400) for _ in range(8)),
    }


@contextmanager
def _opened() -> Iterator[tuple[Store, Path, Mapping[str, Endpoint]]]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        store = Store.open(home, embedder=QuickDocuments())
        try:
            yield store, home / "tallystick.db", endpoints_of(create_app(Settings(home=home), store))
        finally:
            store.close()


def _owners(store: Store) -> list[int]:
    with store.write(0) as unit:
        return [unit.users.ensure(f"bench{number}") for number in range(OWNERS)]


def _fill(store: Store, owner: int, name: str, count: int, random: np.random.Generator) -> list[str]:
    """Make a session of so many messages; gives what the last of them say."""
    for start in range(0, count, EACH):
        drafts = [
            MessageDraft(f"m{number}", ("user", "assistant")[number % 2], sentence(random, WORDS))
            for number in range(start, min(start + EACH, count))
        ]
        with store.write(owner) as unit:
            session, _ = unit.sessions.upsert(SessionDraft(agent="bench", native_id=name))
            unit.sessions.append(session.id, drafts)
    return [draft.content for draft in drafts]


def _caller(owner: int) -> Caller:
    return Caller("bench", owner, "bench", frozenset(SCOPES), None)


def _spent(call: Callable[..., object], *arguments: object) -> float:
    started = time.thread_time()
    call(*arguments)
    return time.thread_time() - started
