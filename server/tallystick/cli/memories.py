"""`tallystick memories`: list, show and erase what the local user's agents stored, whether or not a server runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .options import add_home, add_json, add_limit, home_of
from .output import confirm, cut, print_fields, print_json, print_table, shown

if TYPE_CHECKING:
    from tallystick_client import AsyncTallystick
    from tallystick_client.models import EraseMemoryResponse, GetMemoryDetailResponse, MemoryItem

PAGE = 100


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `memories` to the command line."""
    group = commands.add_parser("memories", help="list, show and erase memories")
    actions = group.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="list memories, newest first")
    listing.add_argument("--query", metavar="TEXT", default="", help="only those with this text in title or body")
    listing.add_argument("--status", choices=("active", "superseded", "archived", "all"), default="active")
    add_limit(listing, 50)
    show = actions.add_parser("show", help="print one memory whole")
    erase = actions.add_parser("erase", help="erase one memory with its revisions, for good")
    erase.add_argument("--yes", action="store_true", help="do not ask")
    for action in (show, erase):
        action.add_argument("id", metavar="ID", help="id of the memory, as list shows it")
    for action, run in ((listing, _list), (show, _show), (erase, _erase)):
        add_home(action)
        add_json(action)
        action.set_defaults(run=run)


def _list(arguments: argparse.Namespace) -> int:
    from .records import with_records

    async def work(client: AsyncTallystick) -> list[MemoryItem]:
        found: list[MemoryItem] = []
        async for memory in client.memories.iter_memories(query=arguments.query, status=arguments.status, limit=PAGE):
            found.append(memory)
            if len(found) > arguments.limit > 0:
                break  # one more than is shown: then there is more
        return found

    found = cut(with_records(home_of(arguments), work), arguments.limit)
    if arguments.json:
        print_json([memory.model_dump(mode="json", exclude_none=True) for memory in found])
        return 0
    print_table(
        ("id", "created", "kind", "status", "title"),
        ((memory.id, str(memory.created)[:19], memory.kind, memory.status, memory.title) for memory in found),
        empty="No memory is stored here yet." if not arguments.query else "No memory has this text.",
    )
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from .records import with_records

    async def work(client: AsyncTallystick) -> GetMemoryDetailResponse:
        return await client.memories.get_memory_detail(memory_id=arguments.id)

    memory = with_records(home_of(arguments), work)
    fields = memory.model_dump(mode="json", exclude_none=True)
    if arguments.json:
        print_json(fields)
        return 0
    body = fields.pop("context")
    del fields["timestamp"]  # the same as created
    print_fields(fields)
    print(f"\n{shown(body)}")
    return 0


def _erase(arguments: argparse.Namespace) -> int:
    from .records import with_records

    if not arguments.yes and not confirm(f"Erase {arguments.id} with all its revisions, for good?"):
        print("Nothing was erased.")
        return 1

    async def work(client: AsyncTallystick) -> EraseMemoryResponse:
        return await client.memories.erase_memory(memory_id=arguments.id)

    done = with_records(home_of(arguments), work)
    if arguments.json:
        print_json(done.model_dump(mode="json", exclude_none=True))
        return 0
    print(f"{done.memory_id} is erased.")
    for backup in done.backups:
        print(f"It may still be in the backup {backup}.")
    return 0
