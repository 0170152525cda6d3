"""The derived index: one Chroma collection an owner, its generation in its name. It may be thrown away at any time.

An element is named by the number of its vector row, which is never given out twice: ids that were deleted and added again
are lost from search, and an element whose row is gone can be told from a living one. What is deleted stays in the files
until the next generation.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING

import numpy as np
import structlog

from .blank import blank_memory
from .embedding import FloatArray
from .home import OLD_CHROMA, private

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

log = structlog.get_logger(__name__)

BATCH = 1000  # elements a call; Chroma's own limit is 5,461
HEADER = Struct("<iQQQ")
EF_SEARCH = 300  # only taken at creation: .990 instead of .954 of the true ten nearest among 100,000


class Chroma:
    """The collections of one folder. Chroma is imported at the first use: that takes a second.

    Args:
        folder: where Chroma keeps its files.
        generation: goes into the collections' names; collections of others are removed by `clean`.
    """

    def __init__(self, folder: Path, generation: int) -> None:
        self.folder = folder
        self.generation = generation
        self._lock = threading.RLock()
        self._collections: dict[int, Collection] = {}
        blank_memory()

    @property
    def exists(self) -> bool:
        """Whether there is anything in the folder."""
        return (self.folder / "chroma.sqlite3").exists()

    def count(self, owner: int) -> int:
        """How many elements an owner's collection has."""
        return self._collection(owner).count()

    def ids(self, owner: int) -> set[int]:
        """The vector rows that an owner's collection knows."""
        return {int(name) for name in self._collection(owner).get(include=[])["ids"]}

    def ids_of(self, owner: int, memory_ids: Sequence[str]) -> set[int]:
        """The vector rows that an owner's collection knows of some memories."""
        found: set[int] = set()
        for start in range(0, len(memory_ids), 100):
            some = list(memory_ids[start : start + 100])
            names = self._collection(owner).get(where={"memory": {"$in": some}}, include=[])["ids"]  # type: ignore[dict-item]
            found.update(int(name) for name in names)
        return found

    def upsert(self, owner: int, rows: Sequence[tuple[int, str, FloatArray]]) -> None:
        """Put (row number, memory id, vector) into an owner's collection."""
        for start in range(0, len(rows), BATCH):
            some = rows[start : start + BATCH]
            self._collection(owner).upsert(
                ids=[str(number) for number, _, _ in some],
                embeddings=np.stack([vector for _, _, vector in some]),
                metadatas=[{"memory": memory_id} for _, memory_id, _ in some],
            )

    def remove(self, owner: int, numbers: Iterable[int]) -> None:
        """Take vector rows out of an owner's collection."""
        names = [str(number) for number in numbers]
        for start in range(0, len(names), BATCH):
            self._collection(owner).delete(ids=names[start : start + BATCH])

    def nearest(self, owner: int, vector: FloatArray, limit: int) -> list[int]:
        """The vector rows nearest to a vector, approximately, best first."""
        found = self._collection(owner).query(query_embeddings=vector[None], n_results=limit, include=[])
        return [int(name) for name in found["ids"][0]]

    def clean(self, owners: Iterable[int]) -> None:
        """Keep no collection but those of this generation of these owners. Where there are others the whole folder goes: Chroma
        leaves what it deletes in its files."""
        wanted = {self._name(owner) for owner in owners}
        with self._lock:
            if any(collection.name not in wanted for collection in self._client.list_collections()):
                self.discard()

    def discard(self) -> None:
        """Throw the folder away; the next use makes a new one. What a kill leaves of the old one, the next start removes."""
        old = self.folder.with_name(OLD_CHROMA)
        with self._lock:
            self.close()
            shutil.rmtree(old, ignore_errors=True)
            self.folder.rename(old)
        shutil.rmtree(old, ignore_errors=True)

    def renew(self, generation: int) -> None:
        """Go over to the collections of another generation, which are empty."""
        with self._lock:
            self.generation = generation
            self._collections.clear()

    def set_aside(self) -> Path:
        """Move the folder out of the way, in place of one that was moved before; the next use makes a new one.

        Returns:
            Where it is now.
        """
        aside = self.folder.with_name(f"{self.folder.name}.damaged")
        with self._lock:
            self.close()
            shutil.rmtree(aside, ignore_errors=True)
            self.folder.rename(aside)
        return aside

    def elements(self) -> int:
        """How many elements the files hold, deleted ones among them.

        Each segment's header.bin begins with a version (int32) and three uint64, the last of which is that number (hnswlib
        as chromadb 1.5.9 writes it).
        """
        headers = [path.read_bytes()[: HEADER.size] for path in self.folder.glob("*/header.bin")]
        return sum(HEADER.unpack(header)[3] for header in headers if len(header) == HEADER.size)

    def close(self) -> None:
        """Let go of the folder; only then may it be opened anew in this process."""
        with self._lock:
            self._collections.clear()
            client = self.__dict__.pop("_client", None)  # made only where it was needed
        if client is not None:
            client.close()

    def _name(self, owner: int) -> str:
        return f"memories-u{owner}-g{self.generation}"

    def _collection(self, owner: int) -> Collection:
        with self._lock:
            known = self._collections.get(owner)
            if known is None:
                known = self._client.get_or_create_collection(
                    self._name(owner),
                    embedding_function=None,
                    configuration={"hnsw": {"space": "cosine", "ef_search": EF_SEARCH}},
                )
                self._collections[owner] = known
            return known

    @cached_property
    def _client(self) -> ClientAPI:
        private(self.folder)
        return opened(self.folder)


def opened(folder: Path) -> ClientAPI:
    """Chroma on a folder; nothing of its use is reported anywhere."""
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient
    from chromadb.config import Settings

    try:
        return chromadb.PersistentClient(path=str(folder), settings=Settings(anonymized_telemetry=False))
    except Exception:
        SharedSystemClient.clear_system_cache()  # it would be given out half made the next time
        raise
