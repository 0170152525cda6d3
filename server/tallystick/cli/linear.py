"""`tallystick linear`: connect, list and disconnect workspaces of Linear, whether or not a server runs."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from typing import TYPE_CHECKING

from .failure import Failure
from .options import add_home, add_json, home_of
from .output import print_json, print_table

if TYPE_CHECKING:
    from tallystick_client import AsyncTallystick
    from tallystick_client.models import ConnectWorkspaceResponse, DisconnectWorkspaceResponse, ListWorkspacesResponse

KEY = "LINEAR_API_KEY"


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `linear` to the command line."""
    group = commands.add_parser("linear", help="connect workspaces of Linear")
    actions = group.add_subparsers(title="actions", metavar="ACTION", required=True)
    connect = actions.add_parser(
        "connect",
        help="keep the API key of a workspace",
        description=f"Keeps the API key of a workspace, after Linear was asked whether it takes it. The key is taken from "
        f"{KEY}, else asked for, else read from standard input; it is never an argument, which others could see.",
    )
    listing = actions.add_parser("list", help="list connected workspaces, without their keys")
    disconnect = actions.add_parser("disconnect", help="forget the key of a workspace")
    for action in (connect, disconnect):
        action.add_argument("label", metavar="LABEL", help="what the workspace is called here, such as AV")
    for action, run in ((connect, _connect), (listing, _list), (disconnect, _disconnect)):
        add_home(action)
        add_json(action)
        action.set_defaults(run=run)


def _key() -> str:
    given = os.environ.get(KEY) or (
        getpass.getpass("API key of Linear (it is not shown): ") if sys.stdin.isatty() else sys.stdin.read()
    )
    if not given.strip():
        raise Failure(f"No key was given; set {KEY}, or send it to standard input.")
    return given.strip()


def _connect(arguments: argparse.Namespace) -> int:
    from .records import with_records

    key = _key()

    async def work(client: AsyncTallystick) -> ConnectWorkspaceResponse:
        return await client.workspaces.connect_workspace(label=arguments.label, key=key)

    done = with_records(home_of(arguments), work)
    if arguments.json:
        print_json(done.model_dump(mode="json", exclude_none=True))
    else:
        print(
            f"{done.label} is connected: {done.organization}. {'Its former key is forgotten.' if done.replaced else ''}".strip()
        )
    return 0


def _list(arguments: argparse.Namespace) -> int:
    from .records import with_records

    async def work(client: AsyncTallystick) -> ListWorkspacesResponse:
        return await client.workspaces.list_workspaces()

    found = with_records(home_of(arguments), work).items
    if arguments.json:
        print_json([one.model_dump(mode="json", exclude_none=True) for one in found])
        return 0
    print_table(
        ("label", "organization"),
        ((one.label, one.organization or "(its key is in TALLYSTICK_LINEAR_KEYS)") for one in found),
        empty="No workspace is connected. Connect one: tallystick linear connect LABEL",
    )
    return 0


def _disconnect(arguments: argparse.Namespace) -> int:
    from .records import with_records

    async def work(client: AsyncTallystick) -> DisconnectWorkspaceResponse:
        return await client.workspaces.disconnect_workspace(label=arguments.label)

    done = with_records(home_of(arguments), work)
    if arguments.json:
        print_json(done.model_dump(mode="json", exclude_none=True))
    else:
        print(f"The key of {done.label} is forgotten here. Revoke it in Linear if nothing else uses it.")
    return 0
