"""Opening the store of a home for a command, with refusals a person can act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..owner import discard, find
from .failure import Failure

if TYPE_CHECKING:
    from ..settings import Settings
    from ..store import Store


class HomeTaken(Failure):
    """Another process owns the home."""


def open_store(settings: Settings) -> Store:
    """The store of the settings' home, with its lock taken.

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
        return Store.open(settings.home, embedder=embedder, durability=settings.durability)
    except HomeInUse as error:
        owner = find(settings.home)
        text = str(error)
        if owner is not None:
            text = (
                f"{str(settings.home)!r} is served already, by process {owner.pid} at {owner.url}. "
                f"Speak to that one, stop it first (kill {owner.pid}), or give another folder with --home."
            )
        raise HomeTaken(text) from None
    except StoreUnusable as error:
        raise Failure(str(error)) from None
