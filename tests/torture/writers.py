"""Threads that write until they are told that it is enough. Each write is repeated until it is acknowledged."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tallystick.owner import Owner, find
from tallystick_client import Tallystick, errors

from tests.e2e.test_bridge import HELLO, Pipes, call
from tests.torture.ledger import Ledger, Write

GROUPS = {
    "store_context": "memories", "edit_memory": "memories", "erase_memory": "memories", "memvault_memory_update": "vault",
    "update_user_facts": "facts", "capture_session": "sessions", "append_messages": "sessions", "erase_session": "sessions",
}  # fmt: skip
AT_ONCE = 5  # calls sent to a bridge before an answer is read


class Writer(threading.Thread):
    """One writer.

    Args:
        ledger: makes its writes and keeps those acknowledged.
        home: of the server.

    Attributes:
        fault: what ended it before its time; None where nothing did.
    """

    def __init__(self, ledger: Ledger, home: Path) -> None:
        super().__init__(name=f"writer-{ledger.number}", daemon=True)
        self.ledger = ledger
        self.home = home
        self.fault: str | None = None
        self._enough = threading.Event()

    def enough(self) -> None:
        """Let it end once what it has begun is acknowledged."""
        self._enough.set()

    def run(self) -> None:
        """Write."""
        try:
            while not self._enough.is_set():
                self.write()
            self.end()
        except Exception as error:
            self.fault = f"{self.name} ended by {type(error).__name__}: {error}"

    def write(self) -> None:
        """Make the next write, or some."""
        raise NotImplementedError

    def end(self) -> None:
        """Let go of what it writes through."""
        raise NotImplementedError

    def cut_off(self) -> None:
        """Leave no process of it, whatever it is at."""
        self.enough()


class Program(Writer):
    """Writes through the generated client, with an idempotency key of its own for each write.

    Args:
        key: the user's.
    """

    def __init__(self, ledger: Ledger, home: Path, key: str) -> None:
        super().__init__(ledger, home)
        self._key = key
        self._owner: Owner | None = None
        self._client: Tallystick | None = None
        self._written = 0

    def write(self) -> None:
        write = self.ledger.next()
        self._written += 1
        key = f"torture-{self.ledger.number}-{self._written}"

        def send(client: Tallystick) -> Any:
            group = getattr(client, GROUPS[write.name])
            return getattr(group, write.name)(**write.arguments, idempotency_key=key)

        answer = self._acknowledged(send)
        write.keep(answer.model_dump(mode="json", by_alias=True, exclude_none=True))

    def end(self) -> None:
        if self._client is not None:
            self._client.close()

    def _acknowledged(self, send: Callable[[Tallystick], Any]) -> Any:
        while True:
            try:
                return send(self._connected())
            except errors.StoreBusy:
                time.sleep(0.1)
            except errors.ConnectionFailed:
                self._owner = None
                time.sleep(0.02)

    def _connected(self) -> Tallystick:
        if self._owner is None or self._client is None:
            self.end()
            while (owner := find(self.home)) is None:
                time.sleep(0.05)
            self._owner = owner
            self._client = Tallystick(owner.url, self._key, timeout=60, retries=0)
        return self._client


class Agent(Writer):
    """Writes through a bridge of its own, without any key: the bridge is to see that each write is done, once."""

    def __init__(self, ledger: Ledger, home: Path) -> None:
        super().__init__(ledger, home)
        self._bridge = Pipes(home, "--agent", f"agent-{ledger.number}")
        self._bridge.ask(HELLO)
        self._asked = 0

    def write(self) -> None:
        writes: dict[int, Write] = {}
        for _ in range(1 + self._asked % AT_ONCE):
            self._asked += 1
            writes[self._asked] = self.ledger.next()
        self._bridge.send(*(call(number, write.name, write.arguments) for number, write in writes.items()))
        answers = {answer["id"]: answer for answer in (self._bridge.receive() for _ in writes)}
        for number, write in writes.items():
            result = answers[number].get("result")
            if result is None or result.get("isError"):
                raise Unanswered(f"{write.name} through a bridge was answered {answers[number]}")
            write.keep(result["structuredContent"])

    def end(self) -> None:
        rest, errors_said = self._bridge.end()
        if rest or errors_said:
            raise Unanswered(f"a bridge ended with {rest} still to be read, and said {errors_said!r}")

    def cut_off(self) -> None:
        self.enough()
        self._bridge.process.kill()
        self._bridge.process.wait()


class Unanswered(Exception):
    """A bridge did not bring the answer that its client waited for."""
