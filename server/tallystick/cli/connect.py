"""`tallystick connect`: what a client needs in order to start `tallystick mcp`, printed or written into its file."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..home import resolve_home
from .failure import Failure
from .greeting import command
from .options import HOME, add_home, add_json, home_of
from .output import print_json

if TYPE_CHECKING:
    from ..connect import Client, Part

NAMES = ("claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini")


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `connect` to the command line."""
    parser = commands.add_parser(
        "connect",
        help="make an MCP client use this server",
        description="Prints what makes a client start `tallystick mcp` and into which file it belongs. With --write it is "
        "put there: everything else in the file stays as it is, and a copy of what it was is left beside it.",
    )
    parser.add_argument("client", choices=NAMES, help="the client")
    parser.add_argument("--write", action="store_true", help="write it into the client's file")
    parser.add_argument(
        "--hook", action="store_true", help="of Claude Code: write the hooks that capture its sessions, too"
    )
    parser.add_argument("--file", type=Path, metavar="PATH", help="another file than that of the client's user")
    parser.add_argument(
        "--url", help="a remote server instead, such as https://memory.example; its key is referred to, never written"
    )
    add_home(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print or write the configuration of one client."""
    from ..connect import CLIENTS

    _check(arguments)
    client = CLIENTS[arguments.client]
    file, installed = client.find(sys.platform, Path.home(), os.environ)
    where = ["--url", arguments.url] if arguments.url else _home(arguments)
    words = [*command(), "mcp", "--agent", client.name, *where]
    parts = _parts(client, arguments, words, _given(arguments.file) if arguments.file else file)
    if arguments.write:
        if not installed and (not arguments.file or arguments.hook):
            raise Failure(
                f"{client.title} was not found on this system; {str(file)!r} is where its configuration would be. "
                "Nothing was written. Name the file with --file, or leave out --write to see what belongs into it."
            )
        _write(parts, hook=arguments.hook)
    else:
        for part in parts:
            part.look()
    then = _then(client, arguments, parts)
    own = None if arguments.file else client.add_command(words, remote=bool(arguments.url))
    if arguments.json:
        found = {"client": client.name, "installed": installed, "command": words, "then": then}
        print_json({**found, **({"add_command": own} if own else {}), "files": [part.as_dict() for part in parts]})
        return 0
    if not installed and not arguments.file:
        print(f"{client.title} was not found on this system; this is what it would need.\n")
    for part in parts:
        _say(client, part, own, written=arguments.write)
    for one in then:
        print(f"Then: {one}")
    return 0


def _check(arguments: argparse.Namespace) -> None:
    if arguments.hook and arguments.client != "claude-code":
        raise Failure("--hook is for claude-code; `tallystick watch` captures the sessions of other clients.")
    if arguments.hook and not arguments.write:
        raise Failure("--hook goes with --write; without them both the hooks are printed.")
    if arguments.hook and arguments.url:
        raise Failure("--hook captures into the server of this machine; run it once more without --url.")
    if arguments.url and not arguments.url.startswith(("http://", "https://")):
        raise Failure(f"--url takes an address such as https://memory.example, not {arguments.url!r}.")


def _given(file: Path) -> Path:
    try:
        return file.expanduser().absolute()
    except RuntimeError:
        raise Failure(f"--file {str(file)!r} names a user that does not exist.") from None


def _home(arguments: argparse.Namespace) -> list[str]:
    """--home, where processes of the client would not find the home by themselves: not all get the user's variables."""
    home = home_of(arguments)
    moved = any(os.environ.get(name) for name in (HOME, "XDG_DATA_HOME"))
    return ["--home", str(home)] if moved or home != resolve_home(None) else []


def _parts(client: Client, arguments: argparse.Namespace, words: list[str], file: Path) -> list[Part]:
    from ..connect import claude_code_settings, hook_command, hook_part, server_part

    parts = [server_part(client, file, words, remote=bool(arguments.url))]
    if client.name == "claude-code" and not arguments.url:
        hook = hook_command([*command(), "hook", "claude-code", *_home(arguments)], sys.platform)
        parts.append(hook_part(Path(claude_code_settings(Path.home(), os.environ)), hook))
    return parts


def _write(parts: list[Part], *, hook: bool) -> None:
    from ..connect import Refused, write

    try:
        write([part for part in parts if hook or part.purpose == "server"])
    except Refused as error:
        raise Failure(str(error)) from None
    for part in parts:
        if part.purpose == "hook" and not hook:
            part.look()


def _then(client: Client, arguments: argparse.Namespace, parts: list[Part]) -> list[str]:
    """What is left to do by hand."""
    wanted = "written" if arguments.write else "missing"
    then = [client.about_key()] if arguments.url else []
    if any(part.state == wanted for part in parts):
        then.append(client.then)
    return then


def _say(client: Client, part: Part, own: str | None, *, written: bool) -> None:
    """One file, in words."""
    server = part.purpose == "server"
    if not server and written and part.state == "missing":
        print(f"Not written: the hooks that capture its sessions; --write --hook puts them into {part.file}")
        return
    if part.state == "written":
        print(f"Written: {part.file}")
        if part.backup:
            print(f"  what it was: {part.backup}")
        return
    what = f"{client.title} starts Tallystick" if server else f"{client.title} captures its sessions"
    if part.state == "there":
        print(f"Nothing to change: {what} by {part.file}")
        return
    if server and own:
        print(f"{what} after this command:\n\n  {own}\n\nor with this in {part.file}:\n")
    else:
        print(f"{what} with this in {part.file}:\n")
    print(part.configuration.text)
    if part.problem:
        print(f"{part.problem}\n")
    else:
        print(f"The same with {'--write' if server else '--write --hook'} puts it there.\n")
