"""The workspaces of Linear that are connected: a label, the organization's name and an API key each.

Keys come from a file of the home that its user alone may read, or from the environment, never from the database: they are in
no backup, no export, no answer and no log.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

FILE = "linear.json"


@dataclass(frozen=True, slots=True)
class Workspace:
    """One that is connected.

    Attributes:
        label: what callers name it by, such as AV.
        organization: its name at Linear; empty where a key came from the environment and was not used yet.
        key: the API key.
        origin: where the key is kept.
    """

    label: str
    organization: str
    key: str = field(repr=False)
    origin: Literal["file", "environment"] = "file"


class Workspaces:
    """Those of one home.

    Args:
        home: the folder whose file holds keys.
        given: keys of the environment by label; they come before those of the file.
    """

    def __init__(self, home: Path, given: Mapping[str, str]) -> None:
        self._file = home / FILE
        self._given = given
        self._changing = threading.Lock()

    def all(self) -> list[Workspace]:
        """Every one, by label.

        Raises:
            ValueError: the file is not what was written; the text says which file, and nothing of what is in it.
        """
        found = {one.label.casefold(): one for one in self._kept()}
        for label, key in self._given.items():
            known = found.get(label.casefold())
            found[label.casefold()] = Workspace(label, known.organization if known else "", key, "environment")
        return sorted(found.values(), key=lambda one: one.label.casefold())

    def connect(self, label: str, organization: str, key: str) -> bool:
        """Keep a key; True where it takes the place of one of the same label."""
        with self._changing:
            before = self._kept()
            others = [one for one in before if one.label.casefold() != label.casefold()]
            self._keep([*others, Workspace(label, organization, key)])
        return len(others) < len(before)

    def disconnect(self, label: str) -> bool:
        """Forget the key of a label; False where the file has none of it."""
        with self._changing:
            before = self._kept()
            after = [one for one in before if one.label.casefold() != label.casefold()]
            if len(after) == len(before):
                return False
            self._keep(after)
        return True

    def _kept(self) -> list[Workspace]:
        try:
            text = self._file.read_text("utf-8")
        except FileNotFoundError:
            return []
        try:
            rows = json.loads(text)["workspaces"]
            return [Workspace(row["label"], row["organization"], row["key"]) for row in rows]
        except (ValueError, LookupError, TypeError):
            raise ValueError(f"{self._file} is damaged. Remove it and connect the workspaces again.") from None

    def _keep(self, found: list[Workspace]) -> None:
        """Replace the file, whole or not at all."""
        rows = [{"label": one.label, "organization": one.organization, "key": one.key} for one in found]
        number, name = tempfile.mkstemp(prefix=f".{FILE}.", dir=self._file.parent)  # 0600 from the beginning
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                json.dump({"workspaces": rows}, file, ensure_ascii=False, indent=2)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self._file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def chosen(workspaces: Sequence[Workspace], label: str | None) -> Workspace | None:
    """The one that a call means: the only one there is, else that of the label in whatever case. None where that says nothing."""
    if len(workspaces) == 1:
        return workspaces[0]
    wanted = (label or "").strip().casefold()
    return next((one for one in workspaces if one.label.casefold() == wanted), None)
