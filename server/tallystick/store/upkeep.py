"""What the indexer does beside embedding: Chroma brought up to date or made anew, erased text scrubbed from
the files, and what has expired removed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import structlog
from sqlalchemy import text

from . import checkup, fulltext, meta, outbox, session_outbox, vector_rows
from .chroma import BATCH
from .clock import now
from .job import Job
from .prepared import Prepared

if TYPE_CHECKING:
    from .store import Store
    from .unit import Unit

log = structlog.get_logger(__name__)

BLOAT = 1.5  # elements for each live one: deleted ones are searched through and never reclaimed
LEAST = 5_000  # elements below which it does not matter

INDEXES = {meta.SCRUB: ("memory_words", "memory_trigrams"), meta.SCRUB_MESSAGES: ("message_words",)}
WITHOUT_VECTORS = Prepared(
    text(
        "INSERT INTO outbox (memory_id, owner, op, seq) SELECT id, owner, 'index', 0 FROM memories m WHERE NOT EXISTS"
        " (SELECT 1 FROM vectors v WHERE v.memory_id = m.id AND v.model = :model AND v.part = 0)"
        " ON CONFLICT (memory_id) DO NOTHING"
    )
)


def begin(store: Store) -> bool:
    """Look at how the last run ended; True where Chroma has to be compared with the vectors table.

    A change of the embedding model puts every memory into the outbox: full text serves meanwhile, and vectors of the old
    model, which cannot be compared with new ones, are out of sight at once and replaced memory by memory.
    """
    model = store.embedder.model
    with store.write(0) as unit:
        driver = unit.driver
        unclean = meta.get(driver, meta.UNCLEAN) == "1"
        before = meta.get(driver, meta.MODEL)
        if before != model or unclean:
            added = _without_vectors(unit)
            if before not in (None, model):
                log.warning(
                    "the embedding model has changed; vectors are made anew", before=before, now=model, memories=added
                )
                _next_generation(unit)
            meta.put(driver, meta.MODEL, model)
        meta.put(driver, meta.UNCLEAN, "1")
        settled = vector_rows.SETTLED.one(driver, model=model) is not None
        changed = before not in (None, model)
    chroma = store.vectors.chroma
    if unclean and chroma.exists:
        fault = checkup.look_into(chroma.folder).fault  # opened here, a damaged one might take this process along
        if fault is not None:
            log.warning("the vector index is damaged; it was moved aside", fault=fault, aside=str(chroma.set_aside()))
    missing = settled and not chroma.exists
    if missing:
        log.warning("the vector index is not there; it is made anew from the database", folder=str(chroma.folder))
    store.vectors.whole = not (missing or unclean or changed)
    return not store.vectors.whole


def renew(unit: Unit) -> None:
    """Begin a new generation of the vector index, which `reconcile` fills, and have embedded what has no vector.

    From here on until it is filled, search is exact.
    """
    unit.store.vectors.whole = False
    _without_vectors(unit)
    _next_generation(unit)


def _without_vectors(unit: Unit) -> int:
    """Put what has no vector into the outboxes; how many memories those are."""
    model = unit.store.embedder.model
    session_outbox.WITHOUT_VECTORS.do(unit.driver, model=model)
    return WITHOUT_VECTORS.do(unit.driver, model=model)


def _next_generation(unit: Unit) -> None:
    chroma = unit.store.vectors.chroma
    generation = chroma.generation + 1
    meta.put(unit.driver, meta.GENERATION, str(generation))
    unit.after_commit(lambda: chroma.renew(generation))


def bloated(store: Store) -> bool:
    """Whether the vector index holds so much that was deleted that a new generation is worth its making."""
    if not store.vectors.whole:
        return False
    with store.read(0) as unit:
        live: int = sum(count for _, count in vector_rows.OWNERS.all(unit.driver, model=store.embedder.model))
    return store.vectors.chroma.elements() > max(BLOAT * live, LEAST)


def end(store: Store, clean: bool) -> None:
    """Note that everything was left in order."""
    if clean:
        with store.write(0) as unit:
            meta.put(unit.driver, meta.UNCLEAN, "0")


def apply(store: Store, jobs: Sequence[Job]) -> None:
    """Bring Chroma up to date on some memories whose vectors are all there, then delete their outbox rows."""
    chroma, model = store.vectors.chroma, store.embedder.model
    by_owner: dict[int, list[Job]] = defaultdict(list)
    for job in jobs:
        by_owner[job.owner].append(job)
    for owner, some in by_owner.items():
        memory_ids = [job.memory_id for job in some]
        with store.read(owner) as unit:
            rows = vector_rows.by_memory(unit.driver, owner, model, memory_ids)
        known = chroma.ids_of(owner, memory_ids)
        wanted = {number for number, _, _ in rows}
        chroma.upsert(owner, [row for row in rows if row[0] not in known])
        chroma.remove(owner, known - wanted)
        with store.write(owner) as unit:
            for job in some:
                outbox.APPLIED.do(unit.driver, memory_id=job.memory_id, seq=job.seq)
            unit.after_change(lambda owner=owner, ids=memory_ids: store.vectors.held.settle(owner, ids))  # type: ignore[misc]


def thrown_away(store: Store) -> bool:
    """Whether somebody has removed the folder of the vector index while it was open. It is let go of then, and search is exact
    until `reconcile` has made it anew."""
    vectors = store.vectors
    if vectors.chroma.exists:
        return False
    vectors.whole = False
    vectors.chroma.close()
    return True


def reconcile(store: Store) -> Iterator[bool]:
    """Make Chroma hold exactly the vectors the table holds, and no collection of another generation.

    Yields:
        True after each batch. Memories may change between two: `apply` tells Chroma of that.
    """
    chroma, model = store.vectors.chroma, store.embedder.model
    with store.read(0) as unit:
        owners = [row[0] for row in vector_rows.OWNERS.all(unit.driver, model=model)]
    try:
        chroma.clean(owners)
    except Exception:
        log.exception(
            "the vector index does not open; it is made anew from the database", aside=str(chroma.set_aside())
        )
    for owner in owners:
        with store.read(owner) as unit:
            wanted = {row[0] for row in vector_rows.NUMBERS.all(unit.driver, owner=owner, model=model)}
        known = chroma.ids(owner)
        missing = sorted(wanted - known)
        if missing or known - wanted:
            log.info("the vector index is being mended", owner=owner, missing=len(missing), extra=len(known - wanted))
        chroma.remove(owner, known - wanted)
        batches = iter(missing)
        while some := list(islice(batches, BATCH)):
            with store.read(owner) as unit:
                rows = vector_rows.by_number(unit.driver, owner, model, some)
            chroma.upsert(owner, rows)
            yield True
    store.vectors.whole = True


def purge(store: Store) -> None:
    """Remove what has expired: the outcomes of writes under operation keys, which nothing may be answered from any more, and
    the leases of tasks."""
    with store.write(0) as unit:
        unit.operations.purge(now())
        unit.sent.purge(now())
        unit.tasks.purge(now())


def scrub(store: Store) -> bool:
    """Have the text of what was erased leave the full-text segments and the write-ahead log, a piece at a time.

    Returns:
        True while there is more to do.
    """
    with store.read(0) as unit:
        marks = {name: mark for name in INDEXES if (mark := meta.get(unit.driver, name))}
    if not marks:
        return False
    with store.write(0) as unit:
        marks = {name: meta.get(unit.driver, name) or "" for name in marks}
        more = fulltext.merge(unit.driver, [index for name in marks for index in INDEXES[name]])
    if more or not store.fold_log():
        return True
    with store.write(0) as unit:
        for name, mark in marks.items():
            if meta.get(unit.driver, name) != mark:
                more = True  # something was erased meanwhile
            else:
                meta.put(unit.driver, name, "")
                meta.put(unit.driver, meta.GAPS, mark)
    return more
