"""`make bench`: everything in one run. Ratios mean something, absolute figures only on a quiet machine."""

from __future__ import annotations

from tests.bench import recall, requests, stdio, storing
from tests.bench.table import markdown

GROUPS = {
    "CPU of the server process a request": requests.measure,
    "recall_context": recall.measure,
    "store_context of 8,000 tokens": storing.measure,
    "from start to the answer of initialize": stdio.measure,
}


def main() -> None:
    for title, measure in GROUPS.items():
        print(markdown(title, measure()), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
