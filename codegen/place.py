"""Where something stands in the contract: a file and a JSON pointer, as every message of the generator names it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Place:
    """A node of a contract file. `file` is relative to the contract's folder, `keys` leads to the node."""

    file: str
    keys: tuple[str, ...] = ()

    def __truediv__(self, key: str | int) -> Place:
        return Place(self.file, (*self.keys, str(key)))

    def __str__(self) -> str:
        if not self.keys:
            return f"contracts/{self.file}"
        escaped = (key.replace("~", "~0").replace("/", "~1") for key in self.keys)
        return f"contracts/{self.file}#/" + "/".join(escaped)


class ContractError(Exception):
    """The contract cannot be used. `messages` says, line by line, which file to touch and what to write there."""

    def __init__(self, *messages: str) -> None:
        super().__init__("\n".join(messages))
        self.messages = messages


def fault(place: Place | str, text: str) -> str:
    """Return the one form in which load, build and lint report: place, colon, what is wrong and what to add."""
    return f"{place}: {text}"
