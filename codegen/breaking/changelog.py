"""What CHANGELOG.md says: which changes are announced, and whether a version is released."""

from __future__ import annotations

import re

ANNOUNCING = ("Changed", "Removed")


def announced(text: str) -> frozenset[str]:
    """Return what stands in backticks below `### Changed` and `### Removed` of the unreleased section."""
    found: set[str] = set()
    for heading, section in _sections(text, "## "):
        if "unreleased" in heading.lower():
            for kind, entries in _sections(section, "### "):
                if kind.strip() in ANNOUNCING:
                    found.update(re.findall(r"`([^`\n]+)`", entries))
    return frozenset(found)


def is_unreleased(text: str, version: str) -> bool:
    """Say whether the section of that version is headed as not released yet."""
    headings = [heading.lower() for heading, _ in _sections(text, "## ") if f"[{version}]" in heading]
    return any("unreleased" in heading for heading in headings)


def _sections(text: str, mark: str) -> list[tuple[str, str]]:
    parts = re.split(rf"^{re.escape(mark)}(.*)$", text, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))
