"""`tallystick tasks`: what is to be done for the memory."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .options import add_home, add_json, home_of
from .output import print_json, print_table

if TYPE_CHECKING:
    from tallystick_client import AsyncTallystick
    from tallystick_client.models import MemvaultTasksListResponse


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `tasks` to the command line."""
    group = commands.add_parser("tasks", help="list what is to be done for the memory")
    actions = group.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="list tasks, the urgent ones first")
    add_home(listing)
    add_json(listing)
    listing.set_defaults(run=_list)


def _list(arguments: argparse.Namespace) -> int:
    from .records import with_records

    async def work(client: AsyncTallystick) -> MemvaultTasksListResponse:
        return await client.tasks.memvault_tasks_list()

    found = with_records(home_of(arguments), work)
    if arguments.json:
        print_json(found.model_dump(mode="json", exclude_none=True))
        return 0
    print_table(
        ("id", "priority", "pending", "since", "claimed by"),
        ((t.id, t.priority, str(t.pending), str(t.created)[:19], t.claimed_by or "") for t in found.tasks),
        empty="Nothing is to be done.",
    )
    if found.more:
        print("There are more; they come when some of these are done.")
    return 0
