"""The one background thread that embeds what was written and keeps Chroma up to date.

It takes from the outbox, newest first, and works in small steps, so that it can turn to something more urgent after each:
first full text, where a rebuild was asked for; then the heads of memories (the whole and its sentences), whose commit makes
them found by meaning; then the windows of long bodies; then Chroma, in batches; then what was erased; then the windows of
sessions, of which an import may bring days of work. An outbox row is deleted when Chroma has learned of it. Each step may be
cut off by kill -9 and is simply done again: vectors are added where they are missing, Chroma is compared with them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import structlog

from . import alike, outbox, rebuild, session_outbox, upkeep
from .gaps import Gaps
from .index_records import RebuildState, StoreState
from .job import Job, embed_some
from .retry import Retry
from .session_job import SessionJobs

if TYPE_CHECKING:
    from .store import Store

log = structlog.get_logger(__name__)

TAKEN = 256  # outbox rows looked at together
WARM_AFTER = 1.0  # seconds without work after which the model is loaded for the first query
PAUSE = 0.05  # seconds in which others may write between two pieces of scrubbing, or two steps of a rebuild
PURGE_EVERY = 3600.0  # seconds between two looks for what has expired


class Indexer:
    """Runs from `start` to `stop`.

    Attributes:
        begun: whether it has looked at how the last run ended; before that nobody knows what is behind.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._jobs: dict[str, Job] = {}
        self.begun = False
        self._stopping = threading.Event()
        self._work = threading.Event()
        self._progress = threading.Condition()
        # What may fail beside a job, which keeps count itself and takes it along when it is done or its memory is gone.
        self._any, self._model, self._chroma = Retry("the step"), Retry("the model"), Retry("the vector index")
        self._asked = Retry("the rebuild")
        self._rebuilding = False  # whether Chroma has to be compared with the vectors table
        self._comparing: Iterator[bool] | None = None  # while that goes on
        self._sessions = SessionJobs(store)
        self._gaps = Gaps(store)
        self._purge_at = 0.0
        self._thread = threading.Thread(target=self._run, name="tallystick-indexer", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the step in hand."""
        self._stopping.set()
        self._work.set()
        self._thread.join()

    def wake(self) -> None:
        """There is something in the outbox."""
        self._work.set()

    def wait_progress(self, seconds: float) -> None:
        """Wait until something was finished, but not longer."""
        with self._progress:
            self._progress.wait(seconds)

    def state(self) -> StoreState:
        """See StoreState."""
        with self._store.read(0) as unit:
            behind, sessions = outbox.count(unit.driver), session_outbox.count(unit.driver)
            left = rebuild.left(unit.driver)
        failed = self._chroma.error if left == (rebuild.VECTORS,) else self._asked.error
        asked = RebuildState(left, failed) if left else None
        for retry in (self._any, self._asked, self._model, self._chroma, *self._jobs_retries()):
            if retry.error is not None:
                return StoreState(behind, "degraded", retry.error, sessions, asked)
        busy: Literal["indexing", "ready"] = "indexing" if behind or sessions or not self.begun else "ready"
        return StoreState(behind, "rebuilding" if self._rebuilding or asked else busy, None, sessions, asked)

    def _run(self) -> None:
        warm = False
        while not self._stopping.is_set():
            self._work.clear()
            if self._stopping.is_set():  # set just before the clear: its wake-up is gone
                break
            worked = False
            if self._any.due:
                try:
                    if not self.begun:
                        self._rebuilding = upkeep.begin(self._store)
                        self.begun = True
                    worked = self._step()
                    self._any.succeeded()
                except Exception as error:
                    self._any.failed(error)
            if worked:
                continue
            pause = self._pause()
            if warm:
                self._work.wait(pause)
            elif not self._work.wait(min(pause, max(WARM_AFTER, self._model.seconds))) and self._model.due:
                warm = self._warm()
        try:
            self._store.marks.write(self._store)
            upkeep.end(self._store, clean=self.begun and not self._rebuilding)
        except Exception:
            log.exception("the end of the indexer could not be noted; the next start will check its work")

    def _step(self) -> bool:
        """Do the most urgent thing; False where there is nothing to do now."""
        if self._store.marks.write(self._store) or self._rebuild():
            return True
        self._take()
        ready = [job for job in self._jobs.values() if job.retry.due]
        job = next((job for job in ready if not job.headed), None) or next((job for job in ready if not job.done), None)
        if job is not None:
            try:
                if embed_some(self._store, job, self._stopping):
                    self._model.succeeded()
                if job.headed and not job.compared:
                    alike.compare(self._store, job.owner, job.memory_id)
                    job.compared = True
                job.retry.succeeded()
            except Exception as error:
                # One memory that cannot be embedded must not keep the others waiting.
                job.retry.failed(error)
            return True
        if self._chroma.due:
            try:
                worked = self._derived()
                self._chroma.succeeded()
                if worked:
                    return True
            except Exception as error:
                self._chroma.failed(error)
                if upkeep.thrown_away(self._store):
                    self._rebuilding, self._comparing = True, None
        if self._session():
            return True
        if time.monotonic() >= self._purge_at:
            upkeep.purge(self._store)
            self._purge_at = time.monotonic() + PURGE_EVERY
            if upkeep.bloated(self._store):
                log.info("the vector index holds too much that was deleted; a new generation is begun")
                with self._store.write(0) as unit:
                    upkeep.renew(unit)
                self._rebuilding, self._comparing = True, None
                return True
        return False

    def _pause(self) -> float:
        """Seconds until there is something to do that nobody wakes this thread for."""
        if not self._any.due:
            return self._any.seconds
        failed = [retry for retry in (self._asked, self._chroma, *self._jobs_retries()) if retry.error]
        later = [seconds for seconds in (self._sessions.seconds, self._gaps.seconds) if seconds]
        return min([max(0.0, self._purge_at - time.monotonic()), *later, *(retry.seconds for retry in failed)])

    def _rebuild(self) -> bool:
        """Take a step of the rebuild that was asked for; False where there is none to take now."""
        if not self._asked.due:
            return False
        try:
            taken = rebuild.step(self._store)
            self._asked.succeeded()
        except Exception as error:
            self._asked.failed(error)
            return False
        if taken == rebuild.RENEWAL:
            self._rebuilding, self._comparing = True, None
        if taken is not None:
            self._chroma.succeeded()  # what was wrong with it will be gone
            self._store.fold_log()  # it has grown by a whole index
            self._stopping.wait(PAUSE)
        return taken is not None

    def _derived(self) -> bool:
        """Bring Chroma up to date, or the files clean; False where both are."""
        done = [job for job in self._jobs.values() if job.done]
        if not done and not self._rebuilding:
            if not (upkeep.scrub(self._store) or self._gaps.close()):
                return False
            self._stopping.wait(PAUSE)
        if self._rebuilding:
            self._compare()  # first, since it replaces an index that does not open
        if done:
            for (
                job
            ) in done:  # first: where a part fails, rows of the rest may be gone, and come again with the same number
                del self._jobs[job.memory_id]
            upkeep.apply(self._store, done)
            with self._progress:
                self._progress.notify_all()
        return True

    def _compare(self) -> None:
        """Bring the next batch of Chroma's in line with the vectors table."""
        going, self._comparing = self._comparing or upkeep.reconcile(self._store), None
        if next(going, False):
            self._comparing = going
            return
        rebuild.finish(self._store)
        self._rebuilding = False

    def _session(self) -> bool:
        """Embed the next windows of a session; False where none waits."""
        job = self._sessions.next()
        if job is None:
            return False
        try:
            if self._sessions.step(job, self._stopping):
                self._model.succeeded()
            job.retry.succeeded()
        except Exception as error:
            job.retry.failed(error)
        with self._progress:
            self._progress.notify_all()
        return True

    def _jobs_retries(self) -> list[Retry]:
        return [job.retry for job in list(self._jobs.values())] + [
            job.retry for job in list(self._sessions.jobs.values())
        ]

    def _take(self) -> None:
        # While Chroma fails, rows of what is embedded stay; they must not keep what stands behind them from being embedded.
        stuck = sum(job.done for job in self._jobs.values()) if self._chroma.error else 0
        with self._store.read(0) as unit:
            rows = outbox.newest(unit.driver, TAKEN + stuck)
        jobs = {}
        for memory_id, owner, op, seq in rows:
            known = self._jobs.get(memory_id)
            jobs[memory_id] = known if known is not None and known.seq == seq else Job(memory_id, owner, op, seq)
        self._jobs = jobs

    def _warm(self) -> bool:
        """Have the model loaded, and the personas' vectors made, before someone waits for it; False where that failed."""
        try:
            self._store.embedder.query("")
            with self._store.read(0) as unit:
                definitions = [persona.definition for persona in unit.personas.list()]
            for definition in definitions:
                self._store.embedder.kept(definition)
            self._model.succeeded()
        except Exception as error:
            self._model.failed(error)
            return False
        return True
