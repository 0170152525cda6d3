"""Opening the store of a home for a command, with refusals a person can act on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..owner import discard, find
from .failure import Failure

if TYPE_CHECKING:
    from ..settings import Settings
    from ..store import HomeInUse, Store


class HomeTaken(Failure):
    """Another process owns the home."""


def open_store(settings: Settings, *, indexing: bool = True) -> Store:
    """The store of the settings' home, with its lock taken.

    Args:
        settings: of which home.
        indexing: see Store.open.

    Raises:
        HomeTaken: another process has the lock.
        Failure: a file in the home cannot be used; nothing was changed.
    """
    from ..store import HomeInUse, MiniLm, Store, StoreUnusable

    try:
        embedder = MiniLm(settings.embedding_model)
        if settings.embedding_model is not None:
            embedder.check()  # a wrong setting is told now, not with the first search
        discard(settings.home)
        return Store.open(settings.home, embedder=embedder, durability=settings.durability, indexing=indexing)
    except HomeInUse as error:
        raise home_taken(settings.home, error) from None
    except StoreUnusable as error:
        raise Failure(str(error)) from None


def home_taken(home: Path, error: HomeInUse) -> HomeTaken:
    """The refusal of a home that another process owns; it says which, and how to stop it."""
    owner = find(home)
    if owner is None:
        return HomeTaken(str(error))
    return HomeTaken(
        f"{str(home)!r} is served already, by process {owner.pid} at {owner.url}. "
        f"Speak to that one, stop it first (tallystick stop), or give another folder with --home."
    )
