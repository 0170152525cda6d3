"""TB050: a file that the last release wrote may be refused."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.finding import Found, Rule
from codegen.breaking.pairs import file_pairs, file_schemas
from codegen.breaking.release import Release


def check(old: Release, new: Release) -> Iterator[Found]:
    """Yield where shared schemas of files (those that no operation uses) take less than they took."""
    for name in file_schemas(old):
        if name not in new.schemas:
            yield Found(name, old.files.get(name, ""), f"{name} is gone; bring it back, since files hold it")
    for pair in file_pairs(old, new):
        for name in pair.refused():
            yield pair.found(name, "is gone, and files have it; take it back")
        for name in pair.newly_required():
            yield pair.found(name, "is required now, and files may lack it; take it out of `required`")
        if not pair.proved:
            yield pair.found(
                "", f"may refuse what files of the last release hold ({pair.keywords()} changed); widen its schema"
            )


RULE = Rule("TB050", "breaking", "A file is refused that could be read", check)
