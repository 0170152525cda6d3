"""What the demonstration prints: steps, and each HTTP exchange as it went over the wire."""

from __future__ import annotations

import json

import httpx
from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

PIPE_WIDTH = 120
LINES = 24
"""Lines of a body that are shown; the rest is counted."""


class Show:
    """A terminal, or a pipe."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)
        if not self._console.is_terminal:
            self._console.width = PIPE_WIDTH

    def step(self, title: str) -> None:
        self._console.print()
        self._console.print(Text(title, style="bold"))

    def say(self, text: str) -> None:
        self._console.print(Padding(Text(text), (0, 0, 0, 2)))

    def exchange(self, method: str, url: str, sent: bytes, status: int, got: bytes) -> None:
        """One request and its answer."""
        self._console.print(Padding(Text(f"> {method} {url}", style="cyan"), (1, 0, 0, 2)))
        self._body(sent)
        self._console.print(Padding(Text(f"< {status}", style="green" if status < 400 else "red"), (0, 0, 0, 2)))
        self._body(got)

    def _body(self, body: bytes) -> None:
        if not body:
            return
        lines = json.dumps(json.loads(body), indent=2, ensure_ascii=False).splitlines()
        more = len(lines) - LINES
        text = "\n".join(lines[:LINES])
        self._console.print(Padding(Syntax(text, "json", background_color="default", word_wrap=True), (0, 0, 0, 4)))
        if more > 0:
            self._console.print(Padding(Text(f"... and {more} more lines", style="dim"), (0, 0, 0, 4)))


class Recording(httpx.HTTPTransport):
    """An HTTP transport that shows every exchange while `on`."""

    def __init__(self, show: Show) -> None:
        super().__init__()
        self._show = show
        self.on = False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if self.on:
            response.read()
            path = request.url.raw_path.decode()
            self._show.exchange(request.method, path, request.read(), response.status_code, response.content)
        return response
