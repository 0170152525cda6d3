"""TOML, changed in place: what is not changed keeps every character."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable, Table

_MARK = "\ufeff"


class Toml:
    """A text of TOML.

    Raises:
        ValueError: it is none; the message says where.
    """

    def __init__(self, text: str) -> None:
        self._take(text)

    def get(self, path: Sequence[str]) -> Any:
        """The value at a path of keys, None where there is none."""
        value = self._value
        for key in path:
            try:
                value = value[key]
            except (LookupError, TypeError):
                return None
        return value

    def set(self, path: Sequence[str], value: Any) -> None:
        """Put a value at a path, with all that is missing on the way.

        Raises:
            ValueError: something else than a table stands on the way, or the text is built in a way that cannot be changed.
        """
        wanted = copy.deepcopy(self._value)
        table: Any = wanted
        for key in path[:-1]:
            table = table.setdefault(key, {})
            if not isinstance(table, dict):
                raise ValueError(f"{key} was expected to be a table")  # noqa: TRY004
        table[path[-1]] = value
        try:
            text = self._changed(path, value)
            changed = tomllib.loads(text.removeprefix(_MARK))
        except (TOMLKitError, ValueError, TypeError):
            changed = None
        if changed != wanted:
            raise ValueError(f"{'.'.join(path)} cannot be changed in the way this file is built")
        self._take(text)

    def _take(self, text: str) -> None:
        try:
            self._value = tomllib.loads(text.removeprefix(_MARK))
        except tomllib.TOMLDecodeError as error:
            raise ValueError(str(error)) from None
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        self.text = text

    def _changed(self, path: Sequence[str], value: Any) -> str:
        plain = self.text.removeprefix(_MARK)
        document = tomlkit.parse(plain)
        if tomlkit.dumps(document) != plain:
            raise ValueError("it would not come out as it went in")
        node: Any = document
        for key in path[:-1]:
            if key not in node:
                node[key] = tomlkit.inline_table() if isinstance(node, InlineTable) else tomlkit.table(True)
            node = node[key]
        item: Any = value
        if isinstance(value, dict):
            item = tomlkit.inline_table() if isinstance(node, InlineTable) else tomlkit.table()
            item.update(value)
            if isinstance(item, Table) and list(document)[-1] != path[0]:
                item.add(tomlkit.nl())  # a blank line before what follows
        node[path[-1]] = item
        text = tomlkit.dumps(document)
        if "\r\n" in plain and "\n" not in plain.replace("\r\n", ""):
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        return self.text[: len(self.text) - len(plain)] + text
