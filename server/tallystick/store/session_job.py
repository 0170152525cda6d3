"""One session on its way into the vectors of its windows. Memories go first: a step is taken only when none of them waits."""

from __future__ import annotations

import hashlib
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import bindparam, func, or_, select

from . import session_outbox, session_vectors
from .job import GIVE_WAY
from .prepared import Prepared
from .retry import Retry
from .session_tables import TABLES
from .vector_rows import encoded
from .windows import CHARS, ROLES, windows

if TYPE_CHECKING:
    from .store import Store

COMMIT_EVERY = 2  # windows: a memory that comes meanwhile waits no longer than they take
TAKEN = 32  # outbox rows looked at together
SHARE = 10  # a session that is growing is looked at again after so many times as long as the last look took

sessions, messages = TABLES["sessions"], TABLES["messages"]
m = messages.c
HEADER = Prepared(
    select(sessions.c.id, sessions.c.title).where(
        sessions.c.n == bindparam("session_n"), sessions.c.owner == bindparam("owner")
    )
)
SAID = Prepared(
    select(m.role, func.substr(m.content, 1, CHARS))
    .where(m.session_n == bindparam("session_n"), or_(*(m.role == role for role in ROLES)))
    .order_by(m.position)
)


@dataclass(slots=True)
class SessionJob:
    """A row of the session outbox being worked on.

    Attributes:
        session_id: "" before the session was looked at, and where it is gone.
        missing: digest and text of the windows that have no vector yet; None before they are known.
        extra: vector rows of windows that are no more.
        retry: when it is tried again.
    """

    session_n: int
    owner: int
    seq: int
    session_id: str = ""
    missing: dict[str, str] | None = None
    extra: tuple[int, ...] = ()
    retry: Retry = field(init=False)

    def __post_init__(self) -> None:
        self.retry = Retry(f"session {self.session_n}")


class SessionJobs:
    """The sessions that wait.

    Attributes:
        jobs: those that were looked at together last.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.jobs: dict[int, SessionJob] = {}
        self._looked: dict[int, float] = {}  # when a session may be looked at again

    def next(self) -> SessionJob | None:
        """The session to go on with: the one that changed last, of those that did not fail just now."""
        with self._store.read(0) as unit:
            rows = session_outbox.newest(unit.driver, TAKEN)
        jobs = {}
        for session_n, owner, seq in rows:
            known = self.jobs.get(session_n)
            jobs[session_n] = known if known is not None and known.seq == seq else SessionJob(session_n, owner, seq)
        self.jobs = jobs
        now = time.monotonic()
        self._looked = {number: again for number, again in self._looked.items() if again > now}
        return next((job for job in jobs.values() if job.retry.due and not self._early(job)), None)

    @property
    def seconds(self) -> float:
        """How long until a session that was looked at just now may be looked at again; 0 where none waits for that."""
        early = [self._looked[job.session_n] for job in self.jobs.values() if self._early(job)]
        return max(0.01, min(early) - time.monotonic()) if early else 0.0

    def _early(self, job: SessionJob) -> bool:
        return job.missing is None and job.session_n in self._looked

    def step(self, job: SessionJob, stopping: threading.Event) -> bool:
        """Embed and commit the next windows of a session, or be done with it.

        Returns:
            Whether anything was embedded.
        """
        store = self._store
        if job.missing is None:
            started = time.monotonic()
            _look(store, job)
            ended = time.monotonic()
            self._looked[job.session_n] = ended + SHARE * (ended - started)
        assert job.missing is not None
        made = []
        for digest, text in list(job.missing.items())[:COMMIT_EVERY]:
            if stopping.is_set():
                return False
            store.embedder.give_way(GIVE_WAY)
            made.append((digest, store.embedder.documents([text])[0]))
        with store.write(job.owner) as unit:
            if session_outbox.SEQ.value(unit.driver, session_n=job.session_n) != job.seq:
                return bool(made)  # it was changed meanwhile: the outbox has a newer row, or none
            for digest, vector in made:
                session_vectors.ADD.do(
                    unit.driver, session_n=job.session_n, owner=job.owner, digest=digest, model=store.embedder.model,
                    vector=encoded(vector),
                )  # fmt: skip
            if made:
                rows = np.stack([vector for _, vector in made])
                unit.after_change(lambda: store.windows.add(job.owner, job.session_id, rows))
            if len(made) == len(job.missing):
                for number in job.extra:
                    session_vectors.DROP.do(unit.driver, number=number)
                if job.extra and job.session_id:
                    found = session_vectors.BLOBS.all(unit.driver, session_n=job.session_n, model=store.embedder.model)
                    left = session_vectors.stacked([blob for (blob,) in found], store.embedder.dimension)
                    unit.after_change(lambda: store.windows.put(job.owner, job.session_id, left))
                session_outbox.APPLIED.do(unit.driver, session_n=job.session_n, seq=job.seq)
        for digest, _ in made:  # only now: what was not committed is still missing
            del job.missing[digest]
        if not job.missing:
            del self.jobs[job.session_n]  # a row that comes later may have this one's number again
        return bool(made)


def _look(store: Store, job: SessionJob) -> None:
    """Compare the windows a session has now with those that have vectors."""
    with store.read(job.owner) as unit:
        row = HEADER.one(unit.driver, session_n=job.session_n, owner=job.owner)
        said = SAID.run(unit.driver, {"session_n": job.session_n})  # a cursor: a session may be long
        wanted = {} if row is None else {_digest(text): text for text in windows(row[1], said)}
        known = session_vectors.OF_SESSION.all(unit.driver, session_n=job.session_n)
    job.session_id = "" if row is None else row[0]
    model = store.embedder.model
    have = {digest for _, digest, of in known if of == model}
    job.extra = tuple(number for number, digest, of in known if of != model or digest not in wanted)
    job.missing = {digest: text for digest, text in wanted.items() if digest not in have}


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
