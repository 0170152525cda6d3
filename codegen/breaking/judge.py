"""Which changes since the last release may stay, and what the others lack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from codegen.breaking.changelog import announced, is_unreleased
from codegen.breaking.finding import Finding, Found, Rule
from codegen.breaking.release import FILE, Release
from codegen.breaking.rules import RULES


@dataclass(frozen=True)
class Verdict:
    """All findings, worst first, each with what it lacks to be let through; () where nothing."""

    old_version: str
    new_version: str
    findings: tuple[tuple[Finding, tuple[str, ...]], ...]

    @property
    def passed(self) -> bool:
        return not any(lacks for _, lacks in self.findings)

    def count(self, severity: str) -> int:
        """Return how many findings are that severe."""
        return sum(finding.rule.severity == severity for finding, _ in self.findings)

    def as_json(self) -> dict[str, Any]:
        """Return the verdict for programs."""
        return {
            "baseline": self.old_version,
            "version": self.new_version,
            "passed": self.passed,
            "findings": [
                {
                    "rule": finding.rule.id,
                    "severity": finding.rule.severity,
                    "title": finding.rule.title,
                    "subject": finding.found.subject,
                    "operations": list(finding.found.operations),
                    "file": finding.found.file,
                    "message": finding.found.text,
                    "lacks": list(lacks),
                }
                for finding, lacks in self.findings
            ],
        }

    def lines(self) -> Iterator[str]:
        """Yield the verdict for people; what is harmless is only counted."""
        for finding, lacks in self.findings:
            if finding.rule.severity != "harmless":
                yield str(finding)
                yield from (f"    {text}" for text in lacks)
        counts = ", ".join(f"{self.count(severity)} {severity}" for severity in ("breaking", "warning", "harmless"))
        yield f"since {self.old_version}: {counts}"


def compare(old: Release, new: Release) -> list[Finding]:
    """Return what has changed, in the order of the rules; a change in a shared schema once, with its operations."""
    return [Finding(rule, found) for rule in RULES for found in _merged(rule.check(old, new))]


def judge(old: Release, new: Release, changelog: str) -> Verdict:
    """Compare, and say what each change lacks: a break a new major version, and whatever clients see an announcement."""
    names = announced(changelog)
    findings = tuple(
        (finding, tuple(_lacks(finding.rule, finding.found, names, old, new, changelog)))
        for finding in compare(old, new)
    )
    return Verdict(old.version, new.version, findings)


def _lacks(
    rule: Rule, found: Found, names: frozenset[str], old: Release, new: Release, changelog: str
) -> Iterator[str]:
    if rule.severity == "breaking" and _major(new.version) <= _major(old.version):
        wanted = f"version: {_major(old.version) + 1}.0.0 in contracts/openapi.yaml"
        if is_unreleased(changelog, old.version):
            wanted = f"`python -m codegen baseline`, since {old.version} is not released; contracts/{FILE.as_posix()} is as it was"
        yield f"to break it all the same: {wanted}"
    if rule.severity != "harmless" and found.subject not in names:
        yield f"to announce it: a line with `{found.subject}` below ### Changed or ### Removed in CHANGELOG.md, unreleased"


def _major(version: str) -> int:
    return int(version.partition(".")[0])


def _merged(found: Iterable[Found]) -> list[Found]:
    """Return findings with equal texts as one, with the operations of all."""
    merged: dict[tuple[str, str], Found] = {}
    for one in found:
        first = merged.setdefault((one.subject, one.text), one)
        operations = tuple(dict.fromkeys((*first.operations, *one.operations)))
        merged[one.subject, one.text] = replace(first, operations=operations)
    return list(merged.values())
