"""`make fuzz`: a thousand generated cases an operation, and a table of what was tried and what failed.

The caller with every scope gets `--examples` cases an operation, those with fewer scopes a tenth of that, since all but a few
of their calls are refused before anything is looked at.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tallystick_contract.operations import OPERATIONS

from .caller import EVERYTHING, NOTHING, READING, Caller
from .campaign import ENDS_IT_ALL, Effort, attack
from .tally import Tally, markdown
from .target import target

CALLERS = {"every scope": EVERYTHING, "reading": READING, "no key": NOTHING}


def main() -> int:
    """Attack, print, and return 1 where anything failed."""
    parser = argparse.ArgumentParser(prog="make fuzz ARGS=", description=__doc__)
    parser.add_argument("--examples", type=int, default=1000, help="generated cases an operation (1000)")
    parser.add_argument("--seed", type=int, default=0, help="another seed makes other cases (0)")
    options = parser.parse_args()
    whole = Effort(options.examples, max(1, options.examples // 5), max(1, options.examples // 10), options.seed)
    part = Effort(max(1, options.examples // 10), max(1, options.examples // 20), 0, options.seed)
    columns: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory() as folder, target(Path(folder) / "home") as live, live:
        for name, scopes in CALLERS.items():
            caller = Caller(live, name.replace(" ", "-"), scopes)
            columns[name] = attack(live, caller, whole if scopes == EVERYTHING else part, Path(folder))
            print(f"{name}: {columns[name].cases.total():,} cases", file=sys.stderr, flush=True)
        ended = attack(live, Caller(live, "ending", EVERYTHING), whole, Path(folder), only=ENDS_IT_ALL)
    columns["every scope"].add(ended)
    print(markdown(columns, [operation.name for operation in OPERATIONS]))
    failures = "\n\n".join(f"As {name}:\n\n{tally.report()}" for name, tally in columns.items() if tally.failures)
    print(failures, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
