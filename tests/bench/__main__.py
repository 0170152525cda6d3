"""`make bench`: everything in one run, or the groups that are named (`make bench ARGS="search pages"`).

Ratios mean something, absolute figures only on a quiet machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from tests.bench import importing, recall, requests, sessions, stdio, storing
from tests.bench.table import Row, markdown

Group = tuple[str, Callable[[], list[Row]]]
GROUPS: dict[str, Group] = {
    "requests": ("CPU of the server process a request", requests.measure),
    "recall": ("recall_context", recall.measure),
    "storing": ("store_context of 8,000 tokens", storing.measure),
    "stdio": ("from start to the answer of initialize", stdio.measure),
    "search": ("memvault_search, 100,000 messages of 20 users", partial(sessions.search, 100_000)),
    "pages": ("memvault_session_read, 50 of 100,000 messages", sessions.pages),
    "import": ("a Claude Code transcript of 50 MB", importing.measure),
}
LONG: dict[str, Group] = {  # run only where they are named
    "million": ("memvault_search, 1,000,000 messages of 20 users", partial(sessions.search, 1_000_000)),
}


def main(names: list[str]) -> None:
    known = GROUPS | LONG
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"There is no group {unknown[0]!r}; there are {', '.join(known)}.")
    for name in names or GROUPS:
        title, measure = known[name]
        print(markdown(title, measure()), end="\n\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
