"""`tallystick sessions`: list, show and erase captured sessions, whether or not a server runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from .options import add_home, add_json, add_limit, home_of, whole
from .output import confirm, cut, print_fields, print_json, print_table, shown

if TYPE_CHECKING:
    from tallystick_client import AsyncTallystick
    from tallystick_client.models import EraseSessionResponse, MemvaultSessionReadResponse, Session

PAGE = 100
MESSAGES = 1000


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `sessions` to the command line."""
    group = commands.add_parser("sessions", help="list, show and erase captured sessions")
    actions = group.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="list sessions, newest first")
    listing.add_argument("--agent", metavar="NAME", help="only this agent's")
    listing.add_argument("--query", metavar="TEXT", help="only those with this text in title, folder or native id")
    add_limit(listing, 50)
    show = actions.add_parser("show", help="print the transcript of a session")
    show.add_argument(
        "--offset", type=whole, default=0, metavar="N", help="leave out so many messages at the beginning"
    )
    add_limit(show, 0)
    erase = actions.add_parser("erase", help="erase a session with its messages, for good")
    erase.add_argument("--yes", action="store_true", help="do not ask")
    for action in (show, erase):
        action.add_argument("id", metavar="ID", help="id of the session, as list shows it, or the agent's own id of it")
    for action, run in ((listing, _list), (show, _show), (erase, _erase)):
        add_home(action)
        add_json(action)
        action.set_defaults(run=run)


def _list(arguments: argparse.Namespace) -> int:
    from .records import with_records

    async def work(client: AsyncTallystick) -> list[Session]:
        wanted = {"agent": arguments.agent, "query": arguments.query}
        found: list[Session] = []
        async for session in client.sessions.iter_sessions(
            limit=PAGE, **{name: value for name, value in wanted.items() if value}
        ):
            found.append(session)
            if len(found) > arguments.limit > 0:
                break  # one more than is shown: then there is more
        return found

    found = cut(with_records(home_of(arguments), work), arguments.limit)
    if arguments.json:
        print_json([session.model_dump(mode="json", exclude_none=True) for session in found])
        return 0
    none = "No session is captured here yet; `tallystick import --all` captures what agents left on this machine."
    print_table(
        ("id", "agent", "updated", "messages", "title"),
        ((s.id, s.agent, str(s.updated)[:19], str(s.message_count), s.title) for s in found),
        empty="No session is like this." if arguments.agent or arguments.query else none,
    )
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from .records import with_records

    async def work(client: AsyncTallystick) -> None:
        left, first = arguments.limit or sys.maxsize, True
        messages: list[dict[str, object]] = []
        async for page in _pages(client, arguments.id, arguments.offset):
            page.messages = page.messages[:left]
            left -= len(page.messages)
            if arguments.json:
                messages += (message.model_dump(mode="json", exclude_none=True) for message in page.messages)
            else:
                if first:
                    print_fields(page.session.model_dump(mode="json", exclude_none=True))
                for message in page.messages:
                    print(
                        f"\n--- {message.role}  {shown(str(message.timestamp or '')[:19])}  {shown(message.id or '')}"
                    )
                    print(shown(message.content))
            first = False
            if left == 0:
                break
        if arguments.json:
            session = page.session.model_dump(mode="json", exclude_none=True)
            print_json({"session": session, "messages": messages})

    with_records(home_of(arguments), work)
    return 0


async def _pages(client: AsyncTallystick, session: str, offset: int) -> AsyncIterator[MemvaultSessionReadResponse]:
    """The pages of a session from an offset on; one at least. A message cut to fit its page comes whole."""
    following: int | None = offset
    while following is not None:
        page = await client.sessions.memvault_session_read(session=session, offset=following, limit=MESSAGES)
        for number, message in enumerate(page.messages):
            if message.content_truncated and message.id is not None:
                alone = await client.sessions.memvault_session_read(session=session, message=message.id, limit=1)
                page.messages[number] = alone.messages[0]
        yield page
        following = page.next_offset


def _erase(arguments: argparse.Namespace) -> int:
    from .records import with_records

    if not arguments.yes and not confirm(f"Erase session {arguments.id} with all its messages, for good?"):
        print("Nothing was erased.")
        return 1

    async def work(client: AsyncTallystick) -> EraseSessionResponse:
        return await client.sessions.erase_session(session=arguments.id)

    done = with_records(home_of(arguments), work)
    if arguments.json:
        print_json(done.model_dump(mode="json", exclude_none=True))
        return 0
    print(f"{done.session} is erased, with {done.messages} messages.")
    print("Its transcript, where the client still has it, is captured again when it changes.")
    for backup in done.backups:
        print(f"It may still be in the backup {backup}.")
    return 0
