"""A progress bar on standard error, where that is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(doing: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a bar for the length of a block; gives what is to be told how much is done, and of how much if that is known."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task(doing, total=None)

        def advance(done: int, whole: int | None) -> None:
            progress.update(task, completed=done, total=whole)

        yield advance
