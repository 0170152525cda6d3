"""The file of an export: JSON lines, each checked against the contract while it is read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn

from tallystick_contract.documents import shared_schema

from ..payload import check_text
from ..problem import Problem
from ..store.export import FORMAT, VERSION
from ..validity import Schema
from .failure import Failure

LONGEST = 64 * 1024 * 1024
"""Bytes of a line, which is held in memory; a body has 1 MiB at most, and escaped it is twelve times as long."""

KINDS = tuple(shared_schema("ExportCounts")["properties"])


class ExportFile:
    """An export that is being read. Every fault is a Failure that names the line.

    Attributes:
        header: the first line.
        line: the number of the line that was read last.
        position: how many bytes were read.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        """Read the header.

        Raises:
            Failure: it is no header of an export, or one of a newer version.
        """
        self._file = file
        self._name = name
        self.line = self.position = 0
        self._schemas = {kind: Schema(shared_schema(f"Export{kind.capitalize()}")) for kind in KINDS}
        header = self._parsed(self._next() or b"null")
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            self.refuse("this is no export of tallystick")
        if header.get("version") != VERSION:
            self.refuse(f"it has version {header.get('version')}; this tallystick knows {VERSION}")
        self._check(Schema(shared_schema("ExportHeader")), header)
        self.header: dict[str, Any] = header

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The lines behind the header.

        Raises:
            Failure: one is no line of an export, or there are more or fewer than the header says.
        """
        counts: Counter[str] = Counter()
        while data := self._next():
            value = self._parsed(data)
            record = value.get("record") if isinstance(value, dict) else None
            schema = self._schemas.get(record) if isinstance(record, str) else None
            if schema is None:
                self.refuse(f"/record is not one of {', '.join(KINDS)}")
            self._check(schema, value)
            counts[str(record)] += 1
            yield value
        wanted: dict[str, int] = self.header["counts"]
        for kind, number in wanted.items():
            if counts[kind] != number:
                self.refuse(f"the file ends here with {counts[kind]} lines of {kind}, and its first line says {number}")

    def refuse(self, why: str) -> NoReturn:
        """Raise the Failure that what was read last cannot be taken."""
        raise Failure(f"{self._name}, line {max(self.line, 1)}: {why.rstrip('.')}. Nothing was imported.")

    def _next(self) -> bytes:
        data = self._file.readline(LONGEST + 1)
        if data:
            self.line += 1
            self.position += len(data)
        if len(data) > LONGEST:
            self.refuse(f"it is longer than {LONGEST // 1024 // 1024} MiB")
        return data

    def _parsed(self, data: bytes) -> Any:
        try:
            return json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError):  # a UnicodeDecodeError is a ValueError
            self.refuse("this is not JSON; the file is damaged, or cut off")

    def _check(self, schema: Schema, value: Any) -> None:
        try:
            check_text(value)
            schema.check(value)
        except Problem as problem:
            self.refuse(str(problem))
