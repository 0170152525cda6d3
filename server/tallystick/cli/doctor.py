"""`tallystick doctor`: is everything in order, and if not, what to do."""

from __future__ import annotations

import argparse
import sys

from .options import add_home, add_json, home_of
from .output import print_json


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `doctor` to the command line."""
    parser = commands.add_parser(
        "doctor",
        help="look whether everything is in order",
        description="Looks at home, permissions, server, database, indexes, model and disk, and says what to do where "
        "something is amiss. The exit code is 1 where a check fails.",
    )
    parser.add_argument("--fix", action="store_true", help="mend permissions and what is derived, then look again")
    add_home(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check everything and print one line a check."""
    from .checks import examine

    findings = examine(home_of(arguments))
    if arguments.fix:
        for finding in findings:
            if finding.mend is not None:
                print(f"mending {finding.check}: {finding.found}", file=sys.stderr)
                try:
                    finding.mend()
                except OSError as error:
                    print(f"  it could not be mended: {error}", file=sys.stderr)
        findings = examine(home_of(arguments))
    well = all(finding.ok for finding in findings)
    if arguments.json:
        checks = [{"check": f.check, "ok": f.ok, "found": f.found, "action": f.action} for f in findings]
        print_json({"ok": well, "checks": checks})
        return 0 if well else 1
    for finding in findings:
        print(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.check:<11} {finding.found}")
        if finding.action:
            print(f"      {'':<11} -> {finding.action}")
    print("All is well." if well else "Something is amiss; do what the arrows say, then look again.")
    return 0 if well else 1
