"""Who attacks: a key with what it may do, the records of its user, and a key of somebody else to look at them with."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import httpx
from tallystick.store.export import exporting
from tallystick_contract.operations import SCOPES

from tests.contract.fixtures import FIXTURES, Fixtures
from tests.live import RUN_TOKEN, Live

EVERYTHING = frozenset(SCOPES)
READING = frozenset(scope for scope in SCOPES if scope.endswith(":read"))
NOTHING: frozenset[str] = frozenset()

_numbers = itertools.count(1)


class Caller:
    """One caller, of a user that has every record of contracts/fixtures.yaml, as another user has.

    Args:
        live: the server.
        name: what the caller is called in tables.
        scopes: what its key may do; without any it has no key.

    Attributes:
        key: what it sends; None for somebody without one.
        kept: ids of the keys that the attack must not revoke.
        fixtures: what the store calls the records of the contract's examples.
    """

    def __init__(self, live: Live, name: str, scopes: frozenset[str]) -> None:
        self.name, self.scopes = name, scopes
        self.user = f"{name}-{next(_numbers)}"
        self.kept: set[str] = set()
        self.fixtures, theirs = Fixtures(), Fixtures()
        self._owner, self._other = self._made(live, self.user), self._made(live, f"not-{self.user}")
        self.key = self._made(live, self.user, scopes) if scopes else None
        self.fixtures.names["local"] = self.user
        with live.rest(self._other) as client:
            for need in FIXTURES:
                theirs.make(client, need)
        self.provide(live)

    def provide(self, live: Live) -> None:
        """Make every record of the examples, again where it was erased."""
        with live.rest(self._owner) as client:
            for need in FIXTURES:
                self.fixtures.make(client, need)
        live.indexed()

    def identities(self, folder: Path) -> dict[str, Any]:
        """What Schemathesis is told to send: this caller's key, and where reads are tried again as the other user."""
        if self.key is None:
            return {}
        keys = {self.name: self.key, "other": self._other}
        headers = {name: [{"name": "Authorization", "value": f"Bearer {key}"}] for name, key in keys.items()}
        path = folder / f"{self.user}.json"
        path.write_text(json.dumps({"auth": [{"name": name, "fixedHeaders": sent} for name, sent in headers.items()]}))
        return {"wfc": {"path": str(path), "user": self.name, "peers": list(keys)}}

    def records(self, live: Live) -> list[dict[str, Any]]:
        """All that the user has, but for the first recall of a conversation, which reading notes."""
        with exporting(live.store.home, self.user) as lines:
            next(lines)
            return [line for line in lines if line["record"] != "conversation"]

    def _made(self, live: Live, user: str, scopes: frozenset[str] = EVERYTHING) -> str:
        body = {"agent": "claude", "user": user, "scopes": sorted(scopes)}
        answer = httpx.post(f"{live.url}/v1/keys", json=body, headers={"authorization": f"Bearer {RUN_TOKEN}"})
        assert answer.status_code == 201, answer.text
        self.kept.add(answer.json()["id"])
        key: str = answer.json()["key"]
        return key
