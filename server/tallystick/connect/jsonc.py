"""JSON with comments and trailing commas, changed in place: what is not changed keeps every character.

Of the libraries on PyPI those that are kept drop comments, and those that keep them are not kept or need Node."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_COMMENTS = re.compile(_STRING + r"|(?P<blank>//[^\r\n]*|/\*.*?\*/|\A\ufeff)", re.DOTALL)
_COMMAS = re.compile(_STRING + r"|[\[{,]\s*,|(?P<blank>,)(?=\s*[}\]])", re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """Something in an object or a list: where it starts, where its value does, and where both end."""

    key: str | int
    start: int
    value: int
    end: int


class Jsonc:
    """A text whose root is an object; one without anything but comments counts as an empty one.

    Raises:
        ValueError: it is no JSON; the message says where.
    """

    def __init__(self, text: str) -> None:
        self._take(text)

    def get(self, path: Sequence[str | int]) -> Any:
        """The value at a path of keys and positions, None where there is none."""
        value = self._value
        for key in path:
            try:
                value = value[key]
            except (LookupError, TypeError):
                return None
        return value

    def set(self, path: Sequence[str | int], value: Any) -> None:
        """Put a value at a path, with all that is missing on the way. The position behind a list's last adds to it.

        Raises:
            ValueError: something else than an object or a list stands on the way; the message says where.
        """
        if not self._plain.strip():
            head = f"{self.text.rstrip()}{self._newline}" if self.text.strip() else ""
            self._take(f"{head}{self._render(_nested(path, value), '')}{self._newline}")
            return
        at = _after_space(self._plain, 0)
        for depth, key in enumerate(path):
            members = self._members(at, path[: depth + 1])
            found = next((member for member in reversed(members) if member.key == key), None)
            below = path[depth + 1 :]
            if found is None:
                self._insert(at, members, key, _nested(below, value))
                return
            if not below or self._plain.startswith("null", found.value):
                self._replace(found, _nested(below, value))
                return
            at = found.value

    def _take(self, text: str) -> None:
        self.text = text
        self._newline = "\r\n" if "\r\n" in text else "\n"
        # Comments and trailing commas become blanks, so that positions in what remains are positions in the text.
        self._commas = _COMMENTS.sub(_blank, text)
        self._plain = _COMMAS.sub(_blank, self._commas)
        try:
            self._value = json.loads(self._plain) if self._plain.strip() else {}
        except json.JSONDecodeError as error:
            raise ValueError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        if not isinstance(self._value, dict):
            raise ValueError(f"line {self._line(_after_space(self._plain, 0))}: an object was expected")  # noqa: TRY004

    def _members(self, at: int, path: Sequence[str | int]) -> list[_Member]:
        """What is in the object or list at a position, of which `path` names a member."""
        plain, named = self._plain, isinstance(path[-1], str)
        if plain[at] != ("{" if named else "["):
            where = ".".join(map(str, path[:-1]))
            raise ValueError(f"line {self._line(at)}: {where} was expected to be {'an object' if named else 'a list'}")
        members: list[_Member] = []
        position = _after_space(plain, at + 1)
        while plain[position] not in "}]":
            start, key = position, len(members)
            if named:
                key, position = _DECODER.raw_decode(plain, position)
                position = _after_space(plain, _after_space(plain, position) + 1)
            _, end = _DECODER.raw_decode(plain, position)
            members.append(_Member(key, start, position, end))
            position = _after_space(plain, end)
            if plain[position] == ",":
                position = _after_space(plain, position + 1)
        return members

    def _insert(self, at: int, members: list[_Member], key: str | int, value: Any) -> None:
        close = _DECODER.raw_decode(self._plain, at)[1] - 1
        inner = self.text[at + 1 : close]
        behind = at + 1 + len(inner.rstrip())  # the last member, its comma or a comment
        led = [self._margin(member.start) for member in members if self._leads(member.start)]
        start, end, margin = " ", "", None
        if led or not members or "\n" in inner:  # a line for each member
            margin = led[-1] if led else self._margin(at) + self._unit()
            start = self._newline + margin
            end = "" if "\n" in self.text[behind:close] else self._newline + self._margin(at)
        name = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
        last = members[-1].end if members else behind
        trailing = "," in self._commas[last:close]
        comma = "," if members and not trailing else ""
        added = f"{start}{name}{self._render(value, margin)}{',' if trailing else ''}{end}"
        self._take(f"{self.text[:last]}{comma}{self.text[last:behind]}{added}{self.text[behind:]}")

    def _replace(self, member: _Member, value: Any) -> None:
        old = self.text[member.value : member.end]
        on_one_line = old[0] in "[{" and old[1:-1].strip() and "\n" not in old
        new = self._render(value, None if on_one_line else self._margin(member.start))
        self._take(f"{self.text[: member.value]}{new}{self.text[member.end :]}")

    def _render(self, value: Any, margin: str | None) -> str:
        """A value on one line, or on several that begin at a margin."""
        if margin is None:
            return json.dumps(value, ensure_ascii=False)
        return json.dumps(value, ensure_ascii=False, indent=self._unit()).replace("\n", self._newline + margin)

    def _unit(self) -> str:
        """What one level is indented by."""
        start = _after_space(self._plain, 0)
        if start < len(self._plain):
            for member in self._members(start, ("",)):
                if self._leads(member.start):
                    return self._margin(member.start)
        return "  "

    def _before(self, at: int) -> str:
        return self.text[self.text.rfind("\n", 0, at) + 1 : at]

    def _leads(self, at: int) -> bool:
        """Whether a line begins there."""
        return not self._before(at).strip()

    def _margin(self, at: int) -> str:
        """The blanks at the beginning of the line of a position."""
        line = self._before(at)
        return line[: len(line) - len(line.lstrip())]

    def _line(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1


def _nested(path: Sequence[str | int], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value} if isinstance(key, str) else [value]
    return value


def _blank(match: re.Match[str]) -> str:
    return match[0] if match["blank"] is None else re.sub(r"[^\r\n]", " ", match[0])


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
