"""Where everything Tallystick keeps lies. Light enough for the stdio bridge: standard library and platformdirs only."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


class HomeInvalid(ValueError):
    """The path given as home cannot be used; the text says why and what to do."""


def resolve_home(value: str | os.PathLike[str] | None) -> Path:
    """The absolute folder that holds everything Tallystick keeps.

    `None` or an empty text means the system's data folder. A leading `~` is expanded, since MCP clients pass
    environment values without a shell; other variables are not. A relative path is refused: the folder it means
    would depend on where a client happened to start the process.

    Raises:
        HomeInvalid: the path is relative, names an unknown user, is a file or cannot be looked at.
    """
    if value is None or not str(value):
        return Path(platformdirs.user_data_path("tallystick", appauthor=False))
    try:
        home = Path(value).expanduser()
    except RuntimeError as error:
        raise HomeInvalid(
            f"The home {str(value)!r} names a user that does not exist; give an absolute path."
        ) from error
    if not home.is_absolute():
        raise HomeInvalid(
            f"The home {str(value)!r} is relative, so it would move with the working directory; "
            f"give an absolute path, for example {str(Path.home() / 'tallystick')!r}."
        )
    try:
        is_file = home.exists() and not home.is_dir()
    except OSError as error:
        raise HomeInvalid(f"The home {str(home)!r} cannot be read: {error.strerror}.") from error
    if is_file:
        raise HomeInvalid(f"The home {str(home)!r} is a file; give a folder, which is made where it is missing.")
    return home


def make_home(home: Path) -> None:
    """Make the folder, readable by its user alone, with the places for run files and logs.

    Raises:
        HomeInvalid: it cannot be made or written.
    """
    try:
        for folder in (home, home / "run", home / "logs"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK | os.X_OK):
                raise PermissionError("it is not writable")
    except OSError as error:
        why = error.strerror or str(error)
        raise HomeInvalid(
            f"The home {str(home)!r} cannot be used: {why}. Make it writable for you, or give another with --home."
        ) from error
