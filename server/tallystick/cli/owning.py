"""`tallystick status` and `stop`: the server that owns a home."""

from __future__ import annotations

import argparse
import os
import signal
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from ..owner import Owner, find, gone
from .failure import Failure
from .options import add_home, add_json, home_of
from .output import print_fields, print_json

if TYPE_CHECKING:
    from tallystick_client import AsyncTallystick
    from tallystick_client.models import ReadyResponse

PATIENCE = 30.0
"""Seconds a server gets to answer what is in flight and close its store."""

NONE = 3
"""Exit code of status where no server runs, as service managers have it."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `status` and `stop` to the command line."""
    status = commands.add_parser("status", help="say whether a server runs, and where")
    stop = commands.add_parser(
        "stop",
        help="end the server of this home",
        description="Ends the server after it has answered what is in flight. An agent's next call starts one again.",
    )
    for command, run in ((status, _status), (stop, _stop)):
        add_home(command)
        add_json(command)
        command.set_defaults(run=run)


def _status(arguments: argparse.Namespace) -> int:
    home = home_of(arguments)
    owner = find(home)
    if owner is None:
        if arguments.json:
            print_json({"running": False, "home": str(home)})
        else:
            print(f"No server runs for {home}; an agent's next call starts one, or `tallystick serve` does.")
        return NONE
    from .records import with_records

    async def work(client: AsyncTallystick) -> ReadyResponse:
        return await client.health.ready()

    ready = with_records(home, work)
    told = {name: value for name, value in asdict(owner).items() if name != "token"}
    fields = {"running": True, "url": owner.url, **told, "status": ready.status, "index": ready.index}
    if arguments.json:
        print_json(fields)
    else:
        print_fields(fields)
    return 0


def _stop(arguments: argparse.Namespace) -> int:
    home = home_of(arguments)
    owner = find(home)
    if owner is not None:
        _end(owner)
        until = time.monotonic() + PATIENCE
        while not gone(home, owner):
            if time.monotonic() > until:
                raise Failure(f"Process {owner.pid} has not ended within {PATIENCE:.0f} s; it may be stopped by force.")
            time.sleep(0.05)
    if arguments.json:
        print_json({"stopped": owner is not None})
    else:
        print(f"No server runs for {home}." if owner is None else f"The server (process {owner.pid}) has ended.")
    return 0


def _end(owner: Owner) -> None:
    try:
        os.kill(owner.pid, signal.SIGTERM)  # on Windows this ends it at once; what it acknowledged is kept
    except ProcessLookupError:
        pass
    except PermissionError:
        raise Failure(f"Process {owner.pid} is another user's.") from None
