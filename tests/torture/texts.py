"""Texts of which every one holds a word that is said nowhere else."""

from __future__ import annotations

import re
from random import Random

WORD = re.compile(r"w\d+n\d+q7")
"""Such a word. Stemming leaves it alone, and none is part of another."""

TAGS = ("amber", "basil", "cedar", "delta", "ember")
SAID = [
    "anchor", "bridge", "canyon", "dinner", "engine", "forest", "garden", "harbour", "island", "jacket", "kettle",
    "ladder", "market", "needle", "orchard", "pencil", "quarry", "river", "saddle", "tunnel", "valley", "window",
    "yellow", "zephyr", "after", "before", "under", "over", "slowly", "today",
]  # fmt: skip
LONG = 40  # one text of so many is embedded in several windows


class Texts:
    """Texts of one writer.

    Args:
        number: the writer's, which goes into its words.
        random: makes them.

    Attributes:
        said: how many words there were.
    """

    def __init__(self, number: int, random: Random) -> None:
        self.said = 0
        self._number = number
        self._random = random

    def line(self, start: str) -> str:
        """A title."""
        return f"{start} {' '.join(self._random.choices(SAID, k=3))} {self._word()}"

    def body(self) -> str:
        """A few sentences, now and then many."""
        sentences = 40 if self._random.randrange(LONG) == 0 else self._random.randint(1, 3)
        told = [f"{' '.join(self._random.choices(SAID, k=8)).capitalize()}." for _ in range(sentences)]
        return " ".join([*told, f"Noted as {self._word()}."])

    def messages(self, number: int) -> dict[str, str]:
        """Messages by new ids."""
        texts = [self.body() for _ in range(number)]
        return {f"msg-{WORD.findall(text)[0]}": text for text in texts}

    def tags(self) -> tuple[str, ...]:
        """Some of the tags, sorted."""
        return tuple(sorted(self._random.sample(TAGS, self._random.randint(0, 3))))

    def _word(self) -> str:
        self.said += 1
        return f"w{self._number}n{self.said}q7"
