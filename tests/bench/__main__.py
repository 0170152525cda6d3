"""`make bench`: everything in one run. Ratios mean something, absolute figures only on a quiet machine."""

from __future__ import annotations

from tests.bench import recall, requests, stdio
from tests.bench.table import markdown


def main() -> None:
    print(markdown("CPU of the server process a request", requests.measure()), end="\n\n", flush=True)
    for title, rows in recall.measure():
        print(markdown(title, rows), end="\n\n", flush=True)
    print(markdown("stdio", stdio.measure()), flush=True)


if __name__ == "__main__":
    main()
