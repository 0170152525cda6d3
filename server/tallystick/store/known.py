"""Whether a record of an export is here already."""

from __future__ import annotations

from collections.abc import Callable

from .errors import Unfit
from .export_sql import Line
from .prepared import Row


def known(row: Row | None, form: Callable[[Row], Line], line: Line, what: str) -> bool:
    """Whether a record is here, just so.

    Args:
        row: of the record that has its id; None where there is none.
        form: makes a line of it.
        line: the record as it is to be.
        what: names it.

    Raises:
        Unfit: it is here with other content.
    """
    if row is None:
        return False
    here = form(row)
    if here != line:
        differ = ", ".join(sorted(name for name in here.keys() | line.keys() if here.get(name) != line.get(name)))
        raise Unfit(f"{what} is here already and differs in {differ}.")
    return True
