"""The store: SQLite as the truth, full text beside it, vectors behind it.

It knows no handler and no wire form. `Store.open` gives the one owner of a home; `store.read(owner)` and
`store.write(owner)` give units of work.
"""

from .embedding import Embedder, FloatArray, MiniLm
from .errors import Conflict, HomeInUse, NotFound, StoreBusy, StoreError, StoreFull, StoreUnusable
from .index_records import IndexReport, RebuildState, StoreState
from .rebuild import STEPS as REBUILD_STEPS
from .records import (
    AuditFilter,
    AuditRecord,
    Filter,
    KeyRecord,
    MemoryChanges,
    MemoryDraft,
    MemoryRecord,
    OperationRecord,
    PersonaRecord,
    RevisionRecord,
)
from .session_records import (
    Appended,
    Arranged,
    Found,
    Hit,
    Lease,
    LinkRecord,
    MemoryHit,
    MessageDraft,
    MessageHit,
    MessageRecord,
    SessionDraft,
    SessionFilter,
    SessionRecord,
    TaskRecord,
)
from .store import Store
from .unit import Unit
from .words import STOP

__all__ = [
    "REBUILD_STEPS",
    "STOP",
    "Appended",
    "Arranged",
    "AuditFilter",
    "AuditRecord",
    "Conflict",
    "Embedder",
    "Filter",
    "FloatArray",
    "Found",
    "Hit",
    "HomeInUse",
    "IndexReport",
    "KeyRecord",
    "Lease",
    "LinkRecord",
    "MemoryChanges",
    "MemoryDraft",
    "MemoryHit",
    "MemoryRecord",
    "MessageDraft",
    "MessageHit",
    "MessageRecord",
    "MiniLm",
    "NotFound",
    "OperationRecord",
    "PersonaRecord",
    "RebuildState",
    "RevisionRecord",
    "SessionDraft",
    "SessionFilter",
    "SessionRecord",
    "Store",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "StoreState",
    "StoreUnusable",
    "TaskRecord",
    "Unit",
]
