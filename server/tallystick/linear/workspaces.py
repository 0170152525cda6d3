"""The keys of Linear's workspaces: in a file of the home that only its owner can read, or in the environment. Nowhere else."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

FILE = "linear.json"


class Unusable(Exception):
    """The file of the keys cannot be read or written; the text says which and what to do."""


class Kept(Exception):
    """The key of a workspace comes from the environment, which only its owner can change."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A connected workspace. The key is in no representation of it."""

    label: str
    key: str = field(repr=False)
    organization: str | None
    source: Literal["file", "environment"]


class Workspaces:
    """All connected workspaces, by label; letter case does not matter.

    Args:
        home: where the file is.
        environment: keys by label, which come before those of the file.
    """

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self._path = home / FILE
        self._changing = threading.Lock()
        self._environment = {
            label.upper(): Workspace(label.upper(), key, None, "environment") for label, key in environment.items()
        }

    def all(self) -> list[Workspace]:
        """The workspaces, by label.

        Raises:
            Unusable: the file cannot be read.
        """
        found = {**self._read(), **self._environment}
        return [found[label] for label in sorted(found)]

    def named(self, organizations: Mapping[str, str]) -> None:
        """Note the names of organisations, by label, that were asked for; those of the environment are asked once a start."""
        for label, name in organizations.items():
            before = self._environment.get(label)
            if before is not None:
                self._environment[label] = Workspace(label, before.key, name, "environment")

    def connect(self, label: str, key: str, organization: str) -> bool:
        """Keep a key; whether the label had one before.

        Raises:
            Kept, Unusable.
        """
        label = self._changeable(label)
        with self._changing:
            found = self._read()
            before = label in found
            found[label] = Workspace(label, key, organization, "file")
            self._write(found)
        return before

    def disconnect(self, label: str) -> bool:
        """Forget a key; False where the label has none.

        Raises:
            Kept, Unusable.
        """
        label = self._changeable(label)
        with self._changing:
            found = self._read()
            if found.pop(label, None) is None:
                return False
            self._write(found)
        return True

    def _changeable(self, label: str) -> str:
        if label.upper() in self._environment:
            variable = f"TALLYSTICK_LINEAR_KEY_{label.upper()}"
            raise Kept(f"The key of {label.upper()} comes from the server's environment, variable {variable}.")
        return label.upper()

    def _read(self) -> dict[str, Workspace]:
        try:
            kept = json.loads(self._path.read_text("utf-8"))
            return {
                label: Workspace(label, entry["key"], entry.get("organization"), "file")
                for label, entry in kept.items()
            }
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise Unusable(f"{self._path} cannot be read ({error.strerror}).") from None
        except (ValueError, KeyError, TypeError, AttributeError):  # its text may be a key: it is not shown
            raise Unusable(f"{self._path} is damaged. Delete it, and connect the workspaces again.") from None

    def _write(self, workspaces: Mapping[str, Workspace]) -> None:
        kept = {w.label: {"key": w.key, "organization": w.organization} for w in workspaces.values()}
        try:
            handle, draft = tempfile.mkstemp(prefix=f".{FILE}.", dir=self._path.parent)  # 0600
        except OSError as error:
            raise Unusable(f"{self._path} cannot be written ({error.strerror}).") from None
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(kept, file, indent=2)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self._path)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(draft)
            raise Unusable(f"{self._path} cannot be written ({error.strerror}).") from None
