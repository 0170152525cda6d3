"""One memory on its way into the vectors table."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from . import outbox, vector_rows
from .embedding import FloatArray
from .retry import Retry
from .split import Part, split

if TYPE_CHECKING:
    from .store import Store

GIVE_WAY = 0.2  # seconds a document waits for queries
COMMIT_EVERY = 4  # windows of a body that are committed together
Made = list[tuple[Part, FloatArray]]


@dataclass(slots=True)
class Job:
    """A row of the outbox being worked on.

    Attributes:
        missing: its parts that have no vector yet; None before they are known.
        headed: whether it can be found by meaning.
        done: whether all its vectors are there.
        compared: whether it was looked at for memories that are nearly alike.
        retry: when it is tried again.
    """

    memory_id: str
    owner: int
    op: str
    seq: int
    missing: list[Part] | None = None
    headed: bool = False
    done: bool = False
    compared: bool = False
    retry: Retry = field(init=False)

    def __post_init__(self) -> None:
        self.retry = Retry(self.memory_id)
        self.headed = self.done = self.op == "delete"


def embed_some(store: Store, job: Job, stopping: threading.Event) -> bool:
    """Embed and commit the heads of a memory, or where it has them the next windows of its body.

    Returns:
        Whether anything was embedded.
    """
    if job.missing is None:
        job.missing = _missing(store, job)
    heads = [part for part in job.missing if part.head]
    made: Made = []
    for part in heads or job.missing[:COMMIT_EVERY]:
        if stopping.is_set():
            return False
        store.embedder.give_way(GIVE_WAY)
        made.append((part, store.embedder.documents([part.text])[0]))
    if made and not _commit(store, job, made):
        return True  # it was changed meanwhile: the outbox has a newer row
    job.missing = job.missing[len(made) :]
    job.headed, job.done = True, not job.missing
    return bool(made)


def _missing(store: Store, job: Job) -> list[Part]:
    with store.read(job.owner) as unit:
        memory = unit.memories.get(job.memory_id)
        have = {
            row[0] for row in vector_rows.PARTS.all(unit.driver, memory_id=job.memory_id, model=store.embedder.model)
        }
    if have:  # made before a restart, and not known to Chroma for certain
        store.vectors.held.refresh(job.owner, job.memory_id)
    if memory is None:
        return []
    parts = split(memory.title, memory.summary, memory.body, store.embedder.windows)
    return sorted((part for part in parts if part.number not in have), key=lambda part: not part.head)


def _commit(store: Store, job: Job, made: Made) -> bool:
    model = store.embedder.model
    with store.write(job.owner) as unit:
        if outbox.SEQ.value(unit.driver, memory_id=job.memory_id) != job.seq:
            return False
        vector_rows.DROP_OTHER_MODELS.do(unit.driver, memory_id=job.memory_id, model=model)
        for part, vector in made:
            vector_rows.ADD.do(
                unit.driver, memory_id=job.memory_id, owner=job.owner, part=part.number, span=part.span, model=model,
                vector=vector_rows.encoded(vector),
            )  # fmt: skip
        rows = np.stack([vector for _, vector in made])
        unit.after_change(lambda: store.vectors.held.add(job.owner, job.memory_id, rows))
    return True
