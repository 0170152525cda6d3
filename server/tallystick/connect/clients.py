"""The clients that can be connected: their files, the form of an entry in them, and what is to be done afterwards."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from . import places
from .jsonc import Jsonc
from .places import Place
from .toml import Toml

KEY = "TALLYSTICK_API_KEY"
SERVER = "tallystick"
"""What the entry is called in every client."""


def _referred(reference: str) -> dict[str, Any]:
    return {"env": {KEY: reference}}


@dataclass(frozen=True, slots=True)
class Client:
    """One client.

    Args:
        name: as an argument, and the agent that its server speaks for.
        title: what it is called in sentences.
        programs: its commands, one of which is on the path where it is installed.
        places: its file and how to know that it is there, the likeliest first.
        servers: what its file calls the servers.
        kind: the form of its file.
        then: what is to be done after a change.
        typed: an entry says that it is for standard input and output.
        secret: what an entry for a remote server holds so that the key reaches it; empty where nothing can do that.
    """

    name: str
    title: str
    programs: tuple[str, ...]
    places: Callable[[str, PurePath, Mapping[str, str]], tuple[Place, ...]]
    servers: str
    kind: type[Jsonc] | type[Toml]
    then: str
    typed: bool = False
    secret: Mapping[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> tuple[str, ...]:
        """Where the entry stands in the file."""
        return self.servers, SERVER

    def find(self, system: str, home: Path, environ: Mapping[str, str]) -> tuple[Path, bool]:
        """The file on this system, and whether the client is installed."""
        options = self.places(system, home, environ)
        for place in options:
            if any(Path(trace).exists() for trace in place.traces):
                return Path(place.file), True
        on_path = any(shutil.which(program, path=environ.get("PATH")) for program in self.programs)
        return Path(options[-1].file), on_path

    def entry(self, command: Sequence[str], *, remote: bool) -> dict[str, Any]:
        """What the file holds for the server that the command starts."""
        typed = {"type": "stdio"} if self.typed else {}
        return {**typed, "command": command[0], "args": list(command[1:]), **(self.secret if remote else {})}

    def add_command(self, command: Sequence[str], *, remote: bool) -> str | None:
        """The client's own command that adds the entry, for a shell; None where it has none that fits."""
        if self.name != "claude-code":
            return None
        # The name comes first, since --env would take it for another variable.
        env = [word for name, value in self.secret["env"].items() for word in ("--env", f"{name}={value}")]
        return shlex.join(["claude", "mcp", "add", "--scope", "user", SERVER, *(env if remote else ()), "--", *command])

    def about_key(self) -> str:
        """What is to be done so that a remote server gets its key."""
        if self.secret:
            return f"Set {KEY} to a key of that server in the environment that {self.title} is started with."
        return (
            f'{self.title} cannot refer to a variable: add "env": {{"{KEY}": "..."}} with a key of that server to the '
            "entry yourself. It stays there when this is run again."
        )


CLIENTS = {
    client.name: client
    for client in (
        Client(
            name="claude-code",
            title="Claude Code",
            programs=("claude",),
            places=places.claude_code,
            servers="mcpServers",
            kind=Jsonc,
            then="Start Claude Code anew; /mcp in it shows the server.",
            typed=True,
            secret=_referred(f"${{{KEY}}}"),
        ),
        Client(
            name="claude-desktop",
            title="Claude Desktop",
            programs=("claude-desktop",),
            places=places.claude_desktop,
            servers="mcpServers",
            kind=Jsonc,
            then="Quit Claude Desktop, in the menu bar or the tray too, and start it again; Settings > Developer shows the server.",
        ),
        Client(
            name="cursor",
            title="Cursor",
            programs=("cursor", "cursor-agent"),
            places=places.cursor,
            servers="mcpServers",
            kind=Jsonc,
            then="Restart Cursor and see under MCP in its settings that the server is switched on.",
            typed=True,
            secret=_referred(f"${{env:{KEY}}}"),
        ),
        Client(
            name="vscode",
            title="VS Code",
            programs=("code",),
            places=places.vscode,
            servers="servers",
            kind=Jsonc,
            then="In VS Code run the command 'MCP: List Servers', start the server and say that you trust it.",
            typed=True,
            secret=_referred(f"${{env:{KEY}}}"),
        ),
        Client(
            name="codex",
            title="Codex",
            programs=("codex",),
            places=places.codex,
            servers="mcp_servers",
            kind=Toml,
            then="Start Codex anew; /mcp in it shows the server.",
            secret={"env_vars": [KEY]},
        ),
        Client(
            name="gemini",
            title="Gemini CLI",
            programs=("gemini",),
            places=places.gemini,
            servers="mcpServers",
            kind=Jsonc,
            then="Start Gemini CLI anew; /mcp in it shows the server.",
            secret=_referred(f"${{{KEY}}}"),
        ),
    )
}
