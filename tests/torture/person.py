"""A user with all that its writers had acknowledged."""

from __future__ import annotations

from collections import ChainMap, Counter
from dataclasses import dataclass, field

from tests.torture.ledger import Kept, Ledger, Talk


@dataclass
class Person:
    """A user.

    Attributes:
        name: the user's.
        key: opens the server for it; None for the user of this machine, whom the run token does.
        ledgers: of its writers.
    """

    name: str
    key: str | None
    ledgers: list[Ledger] = field(default_factory=list)

    @property
    def memories(self) -> dict[str, Kept]:
        return dict(ChainMap(*(ledger.memories for ledger in self.ledgers)))

    @property
    def talks(self) -> dict[str, Talk]:
        return dict(ChainMap(*(ledger.talks for ledger in self.ledgers)))

    @property
    def erased(self) -> set[str]:
        return set[str]().union(*(ledger.erased for ledger in self.ledgers))

    @property
    def silenced(self) -> set[str]:
        return set[str]().union(*(ledger.silenced for ledger in self.ledgers))

    @property
    def forgotten(self) -> set[str]:
        return set[str]().union(*(ledger.forgotten for ledger in self.ledgers))

    @property
    def facts(self) -> dict[str, dict[str, str]]:
        return {f"writer{one.number}": one.facts for one in self.ledgers if one.facts is not None}

    @property
    def done(self) -> Counter[str]:
        return sum((ledger.done for ledger in self.ledgers), Counter())

    def live(self) -> dict[str, str]:
        """The words that are to be found, each with the id of the memory or session that holds it."""
        records: list[tuple[str, Kept | Talk]] = [*self.memories.items(), *self.talks.items()]
        return {word: record for record, kept in records for word in kept.words}

    def dead(self) -> set[str]:
        """The words that nothing may find any more."""
        return set[str]().union(*(ledger.words for ledger in self.ledgers)) - self.live().keys()
