"""`tallystick keys`: create, list and revoke agent keys, whether or not a server runs."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from .options import add_home, add_json, home_of
from .output import print_json, print_table

if TYPE_CHECKING:
    from tallystick_client import AsyncTallystick
    from tallystick_client.models import CreateKeyResponse, KeyItem, RevokeKeyResponse

PAGE = 100


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `keys` to the command line."""
    group = commands.add_parser("keys", help="create, list and revoke agent keys")
    actions = group.add_subparsers(title="actions", metavar="ACTION", required=True)
    create = actions.add_parser("create", help="make a key; it is printed once")
    create.add_argument("--agent", metavar="NAME", required=True, help="the agent that will use it")
    create.add_argument("--user", metavar="NAME", default="local", help="whose memories it opens (default: local)")
    create.add_argument(
        "--scope",
        metavar="SCOPES",
        help="comma-separated, such as memory:read,memory:write; all is every scope (default: every one but admin)",
    )
    listing = actions.add_parser("list", help="list keys, without their secrets")
    revoke = actions.add_parser("revoke", help="make a key worthless")
    revoke.add_argument("id", metavar="ID", help="id of the key, as list shows it")
    for action, run in ((create, _create), (listing, _list), (revoke, _revoke)):
        add_home(action)
        add_json(action)
        action.set_defaults(run=run)


def _create(arguments: argparse.Namespace) -> int:
    from tallystick_contract.operations import SCOPES

    from .records import with_records

    scopes: list[Any] = [scope for scope in SCOPES if scope != "admin"]  # the server says which names it knows
    if arguments.scope is not None:
        scopes = [scope.strip() for scope in arguments.scope.split(",") if scope.strip()]

    async def work(client: AsyncTallystick) -> CreateKeyResponse:
        return await client.keys.create_key(agent=arguments.agent, user=arguments.user, scopes=scopes)

    made = with_records(home_of(arguments), work)
    if arguments.json:
        print_json(made.model_dump(mode="json", exclude_none=True))
    else:
        print(made.key)
        note = f"Key {made.id} of agent {made.agent}, user {made.user}. Shown this once; keep it."
        print(note, file=sys.stderr)  # so that $(tallystick keys create ...) is the key alone
    return 0


def _list(arguments: argparse.Namespace) -> int:
    from .records import with_records

    async def work(client: AsyncTallystick) -> list[KeyItem]:
        return [key async for key in client.keys.iter_keys(limit=PAGE)]

    found = with_records(home_of(arguments), work)
    if arguments.json:
        print_json([key.model_dump(mode="json", exclude_none=True) for key in found])
        return 0
    print_table(
        ("id", "user", "agent", "created", "state", "scopes"),
        (
            (key.id, key.user, key.agent, str(key.created), "revoked" if key.revoked else "live", " ".join(key.scopes))
            for key in found
        ),
        empty="There is no key yet. Make one: tallystick keys create --agent NAME",
    )
    return 0


def _revoke(arguments: argparse.Namespace) -> int:
    from .records import with_records

    async def work(client: AsyncTallystick) -> RevokeKeyResponse:
        return await client.keys.revoke_key(key_id=arguments.id)

    done = with_records(home_of(arguments), work)
    if arguments.json:
        print_json(done.model_dump(mode="json", exclude_none=True))
    else:
        print(f"Key {done.id} opens nothing any more.")
    return 0
