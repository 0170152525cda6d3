"""`tallystick mcp`: the stdio bridge an MCP client starts, and its check. Nothing heavy is imported on this path."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .failure import Failure
from .options import add_home, home_of

if TYPE_CHECKING:
    from ..transports.forward import Forwarder, Target

KEY = "TALLYSTICK_API_KEY"
SESSION = "TALLYSTICK_SESSION"


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `mcp` to the command line."""
    parser = commands.add_parser(
        "mcp",
        help="speak MCP over standard input and output (what an MCP client starts)",
        description="Carries MCP between standard input and output and the server of this machine, which is started in "
        f"the background where none runs. {SESSION} in the environment names the agent's own session.",
    )
    add_home(parser)
    parser.add_argument(
        "--agent", metavar="NAME", help="the agent it speaks for (default: what the client calls itself)"
    )
    parser.add_argument(
        "--url", help=f"a remote server instead, such as https://memory.example; its key is read from {KEY}"
    )
    parser.add_argument("--check", action="store_true", help="try it: reach the server, list its tools, print a report")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Bridge until the end of input, or check."""
    from ..transports.bridge import Bridge

    forwarder = _forwarder(arguments)
    if arguments.check:
        from .check import check

        return check(forwarder)
    # The bytes of the pipes, so that no locale takes part.
    answered = Bridge(forwarder, sys.stdout.buffer, named=arguments.agent is not None).run(sys.stdin.buffer)
    if not answered:
        sys.stdout.flush()
        os._exit(0)  # a thread still waits for a server that hangs; the client is gone, so nothing is
    return 0


def _forwarder(arguments: argparse.Namespace) -> Forwarder:
    from ..transports.bridge import AGENT_HEADER, SESSION_HEADER, identity
    from ..transports.forward import Forwarder

    if arguments.url:
        return Forwarder(_remote(arguments.url), {})
    named = identity(AGENT_HEADER, arguments.agent or "") | identity(SESSION_HEADER, os.environ.get(SESSION, ""))
    return Forwarder(_local(arguments), named)


def _local(arguments: argparse.Namespace) -> Callable[[Any], Target]:
    from ..owner import ensure
    from ..transports.forward import Target

    home = home_of(arguments)

    def find(failed: Target | None) -> Target:
        owner = ensure(home)
        return Target(f"{owner.url}/mcp", owner.token)

    return find


def _remote(url: str) -> Callable[[Any], Target]:
    from ..transports.forward import Target

    key = os.environ.get(KEY, "").strip()  # a file with Windows line ends leaves a blank behind it
    if not key:
        raise Failure(f"--url needs a key of that server in {KEY}.")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise Failure(f"What {KEY} holds is no key: it has a blank, or a character that no key has.")
    if not url.startswith(("http://", "https://")):
        raise Failure(f"--url takes an address such as https://memory.example, not {url!r}.")
    if not _usable(url):
        raise Failure(f"--url takes an address such as https://memory.example; {url!r} is none.")
    if "@" in url.partition("://")[2].partition("/")[0]:
        raise Failure(f"--url takes no user or password; the key is read from {KEY}.")
    target = Target(url if url.rstrip("/").endswith("/mcp") else f"{url.rstrip('/')}/mcp", key)
    return lambda failed: target


def _usable(url: str) -> bool:
    """Whether a request can be sent there: a host name that DNS can ask for, a port, and a path as HTTP carries it."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna")
        _ = parts.port  # raises where it is no number, or too large
    except ValueError:
        return False
    rest = url.partition("://")[2].partition("/")[2]
    return bool(host) and b" " not in host and all("!" <= character <= "~" for character in rest)
