"""`python -m codegen [breaking [--json] | baseline] [--check] [--stub OPERATION] [--contracts DIR] [--generated DIR]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from codegen.breaking.command import baseline, breaking
from codegen.generate import difference, generate, read_contract, write
from codegen.place import ContractError
from codegen.stub import stub

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str] | None = None) -> int:
    """Run the generator; 0 where all is well, 1 for a fault in the contract or files out of date, 2 for misuse."""
    parser = argparse.ArgumentParser(prog="python -m codegen", description="Generate code from contracts/.")
    parser.add_argument(
        "command",
        nargs="?",
        choices=("breaking", "baseline"),
        help="breaking: compare with the last release; baseline: take this contract for the last release",
    )
    parser.add_argument("--json", action="store_true", help="with breaking: print JSON, harmless changes included")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; print a diff and exit 1 if files are stale"
    )
    parser.add_argument("--stub", metavar="OPERATION", help="print the handler method of an operation, to paste")
    parser.add_argument("--contracts", type=Path, default=ROOT / "contracts", metavar="DIR")
    parser.add_argument("--generated", type=Path, default=ROOT / "generated", metavar="DIR")
    options = parser.parse_args(arguments)
    if (options.json and options.command != "breaking") or (options.command and (options.check or options.stub)):
        parser.error("--json goes with breaking, --check and --stub with neither command")
    try:
        if options.command == "breaking":
            return breaking(options.contracts, as_json=options.json)
        if options.command == "baseline":
            return baseline(options.contracts)
        if options.stub:
            return _print_stub(options.contracts, options.stub)
        files = generate(options.contracts)
    except ContractError as error:
        for message in error.messages:
            print(message, file=sys.stderr)
        count = len(error.messages)
        print(f"{count} fault{'s' if count > 1 else ''} in the contract; nothing was generated", file=sys.stderr)
        return 1
    if options.check:
        text = difference(files, options.generated)
        if text:
            print(text, end="")
            print("generated/ is out of date; run `python -m codegen` and commit what it writes", file=sys.stderr)
        return 1 if text else 0
    for name in write(files, options.generated):
        print(f"generated/{name}")
    return 0


def _print_stub(contracts: Path, name: str) -> int:
    contract = read_contract(contracts)
    try:
        print(stub(contract, name), end="")
    except KeyError:
        known = ", ".join(op.name for op in contract.operations)
        print(f"no operation {name}; there are: {known}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
