"""`make torture`: kills servers while clients write, and says what of the acknowledged writes was lost. Exits 1 if any."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path
from random import SystemRandom

from tests.torture.keeper import ServerFailed
from tests.torture.leaks import leave
from tests.torture.loop import Stuck, torture

SAMPLE = 1000


def main() -> int:
    """Run it and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--kills", type=int, default=100, metavar="N", help="default 100")
    parser.add_argument("--writes", type=int, default=100_000, metavar="N", help="default 100,000")
    parser.add_argument("--bridges", type=int, default=500, metavar="N", help="started and ended; default 500")
    parser.add_argument("--seed", type=int, help="another one each time unless given")
    parser.add_argument("--model", action="store_true", help="embed with the real model, which is slow")
    parser.add_argument("--folder", type=Path, help="where the homes go, which then stay (default: a temporary folder)")
    given = parser.parse_args()
    seed = SystemRandom().randrange(10**6) if given.seed is None else given.seed
    began = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that no server is left running

    def say(text: str) -> None:
        print(f"  {time.monotonic() - began:5.0f} s  {text}", file=sys.stderr, flush=True)

    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        cheap = not given.model
        try:
            report = leave(folder, bridges=given.bridges, seed=seed, cheap=cheap, say=say)
            report.add_all(
                torture(folder, kills=given.kills, writes=given.writes, seed=seed, cheap=cheap, sample=SAMPLE, say=say)
            )
        except (ServerFailed, Stuck) as error:
            print(f"It came to no end: {error}")
            return 1
    print(report)
    return 0 if report.sound else 1


if __name__ == "__main__":
    sys.exit(main())
