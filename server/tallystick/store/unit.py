"""One unit of work: the records of one owner in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from . import overview, rebuild, vector_rows
from .audit import Audit
from .conversations import Conversations
from .erase import erase_owner
from .facts import Facts
from .index_records import IndexReport
from .keys import Keys
from .links import Links
from .memories import Memories
from .operations import Operations
from .personas import Personas
from .prepared import Driver
from .records import Filter
from .revisions import Revisions
from .search import search
from .sent import SentWrites
from .session_records import Found, SearchKind, Sort
from .sessions import Sessions
from .tasks import Tasks
from .users import Users

if TYPE_CHECKING:
    from .embedding import FloatArray
    from .store import Store


class Unit:
    """What a handler works with. Every read and write in it sees and makes one state of the store.

    Attributes:
        owner: the user's number; memories, revisions, facts, operations and conversations are only ever this user's.
        connection: the SQLAlchemy connection inside the same transaction.
        driver: the DBAPI connection inside the same transaction, for prepared statements.
        writing: False in a snapshot, where a change raises.
    """

    def __init__(self, store: Store, connection: Connection, driver: Driver, owner: int, writing: bool) -> None:
        self.store = store
        self.connection = connection
        self.driver = driver
        self.owner = owner
        self.writing = writing
        self.committed: list[Callable[[], None]] = []
        self.indexed: list[Callable[[], None]] = []
        self.undone: list[Callable[[], None]] = []

    def after_commit(self, call: Callable[[], None]) -> None:
        """Have `call` run once the transaction is committed (a snapshot: once it is closed); never after a rollback."""
        self.committed.append(call)

    def after_change(self, call: Callable[[], None]) -> None:
        """As `after_commit`, but before any other write may begin: for indexes in memory, which must not lag behind.

        The call must be quick and must not search. Where one fails, nothing is held in memory of this owner's vectors any more.
        """
        self.indexed.append(call)

    def after_rollback(self, call: Callable[[], None]) -> None:
        """Have `call` run should the unit of work end with an exception."""
        self.undone.append(call)

    @cached_property
    def memories(self) -> Memories:
        """Memories of the owner."""
        return Memories(self)

    @cached_property
    def revisions(self) -> Revisions:
        """Earlier and present states of the owner's memories."""
        return Revisions(self)

    @cached_property
    def facts(self) -> Facts:
        """The owner's facts document."""
        return Facts(self)

    @cached_property
    def personas(self) -> Personas:
        """The personas, one set for all users."""
        return Personas(self)

    @cached_property
    def keys(self) -> Keys:
        """Agent keys of all users."""
        return Keys(self)

    @cached_property
    def users(self) -> Users:
        """All users."""
        return Users(self)

    @cached_property
    def operations(self) -> Operations:
        """The owner's writes under operation keys."""
        return Operations(self)

    @cached_property
    def sent(self) -> SentWrites:
        """The owner's writes to other services that are not known to be done."""
        return SentWrites(self)

    @cached_property
    def audit(self) -> Audit:
        """Audit rows of all users."""
        return Audit(self)

    @cached_property
    def conversations(self) -> Conversations:
        """The owner's conversations that were recalled in."""
        return Conversations(self)

    @cached_property
    def sessions(self) -> Sessions:
        """The owner's sessions and their messages."""
        return Sessions(self)

    @cached_property
    def links(self) -> Links:
        """Links between the owner's sessions."""
        return Links(self)

    @cached_property
    def tasks(self) -> Tasks:
        """What is to be done on the owner's records."""
        return Tasks(self)

    def search(
        self, query: str, *, kind: SearchKind | None = None, agent: str | None = None, role: str | None = None,
        sort: Sort = "relevance", limit: int = 10, offset: int = 0,
    ) -> Found:  # fmt: skip
        """Messages and active memories that a full-text expression finds.

        Args:
            query: FTS5 syntax over the columns title and body. Where it does not parse, each blank-separated piece is a
                phrase: all of them must occur or, if nothing has all, any.
            kind: only messages ("session") or only memories; None for both.
            agent: only what this agent wrote.
            role: only messages of this role, and no memories.
            sort: by relevance, or latest first.
            limit, offset: the page.
        """
        return search(self, query, kind=kind, agent=agent, role=role, sort=sort, limit=limit, offset=offset)

    def embed(self, text: str) -> FloatArray:
        """The vector of a query; the same text always gives the same one."""
        return self.store.embedder.query(text)

    def embed_soon(self, text: str) -> Future[FloatArray]:
        """As `embed`, on a thread of its own, so that a search for words can go on meanwhile."""
        return self.store.embedder.query_soon(text)

    def nearest(
        self, vector: FloatArray, limit: int, allowed: Collection[str] | None = None, where: Filter | None = None
    ) -> list[tuple[str, float]]:
        """Memories of the owner by the cosine of their best vector.

        Args:
            vector: from `embed`.
            limit: how many at most.
            allowed: only these memory ids.
            where: only memories that this lets pass.

        Returns:
            (memory id, cosine), best first, ties by id.
        """
        return self.store.vectors.nearest(self.driver, self.owner, vector, limit, allowed, where)

    def embedded(self, memory_ids: Sequence[str]) -> set[str]:
        """Those of some memories of the owner that have a vector already; a new one has none for a second or so."""
        return vector_rows.having(self.driver, self.owner, self.store.vectors.model, memory_ids)

    def erase_owner(self) -> dict[str, int]:
        """Remove all the owner's records but keys and audit rows; returns how many of each sort, see erase.py."""
        return erase_owner(self)

    def index(self) -> IndexReport:
        """How much is stored of all users, and how much of it is in every index."""
        return overview.look(self)

    def rebuild_index(self) -> bool:
        """Have everything that is derived rebuilt in the background, of all users; False where that is going on already."""
        return rebuild.ask(self)
