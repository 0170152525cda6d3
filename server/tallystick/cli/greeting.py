"""What `serve` prints when it listens: where, what it keeps, and how to connect."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from .. import __version__
from ..home import resolve_home
from ..owner import Owner


def greeting(owner: Owner, *, key: str | None, any_key: bool) -> str:
    """The text, with the first key where one was just made (the only time it is ever shown)."""
    elsewhere = "" if resolve_home(None) == Path(owner.home) else f" --home {shlex.quote(owner.home)}"
    create = f"{program()} keys create --agent NAME{elsewhere}"
    if key is not None:
        about_key = f"{key}\n             (user local, agent default, every scope; shown this once, so keep it)"
    elif any_key:
        about_key = f"as made before; another: {create}"
    else:
        about_key = f"none yet; make one: {create}"
    bearer = '"Authorization: Bearer $TALLYSTICK_API_KEY"'
    return f"""\
Tallystick {__version__} serves {owner.url}
  home       {owner.home}
  key        {about_key}

Connect
  any client {program()} connect cursor --write{elsewhere}   (or claude-code, claude-desktop, vscode, codex, gemini)
  MCP, stdio claude mcp add --scope user tallystick -- {program()} mcp{elsewhere}
  MCP, HTTP  claude mcp add --scope user --transport http tallystick {owner.url}/mcp --header {bearer}
  REST       export TALLYSTICK_API_KEY={key or "..."}
             curl -s {owner.url}/v1/me -H {bearer}

Stop with Ctrl-C."""


def program() -> str:
    """How this command is called from anywhere, for a shell."""
    return shlex.join(command())


def command() -> list[str]:
    """The words that call this command from anywhere."""
    script = Path(sys.executable).with_name("tallystick.exe" if sys.platform == "win32" else "tallystick")
    if script.is_file():
        return [str(script)]
    return [sys.executable, "-P", "-m", "tallystick"]  # -P: no module from the folder it is started in
