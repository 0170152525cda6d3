"""What a rule is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from codegen.breaking.release import Release

Severity = Literal["breaking", "warning", "harmless"]


@dataclass(frozen=True)
class Found:
    """One change that a rule saw.

    `subject` is what the CHANGELOG names: an operation, a shared schema, an error code or a scope. `operations` are those
    that it concerns, where they are not the subject.
    """

    subject: str
    file: str  # to touch
    text: str  # what has changed, and what to do
    operations: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """One way in which a contract may change. `id` never changes and is never used again."""

    id: str
    severity: Severity
    title: str
    check: Callable[[Release, Release], Iterator[Found]]  # of the last release and of the working tree


@dataclass(frozen=True)
class Finding:
    """A change, and the rule that says how bad it is."""

    rule: Rule
    found: Found

    def __str__(self) -> str:
        concerned = f" (in {_listed(self.found.operations)})" if self.found.operations else ""
        return f"{self.found.file}: {self.rule.id} {self.rule.severity}: {self.found.text}{concerned}"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
