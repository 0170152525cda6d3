"""Who is calling: the key's user and agent, and the scopes it carries."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from tallystick_contract.errors import Code
from tallystick_contract.operations import SCOPES

from .problem import Problem
from .store import Store

LOCAL_USER = "local"


@dataclass(frozen=True, slots=True)
class Caller:
    """One authenticated caller.

    Attributes:
        user: the user everything is scoped to.
        owner: that user's number in the store.
        agent: the agent the key names.
        scopes: what the key may do.
        key_id: the key's id; None for the run token of this machine.
        native_session: the agent's own id of its session, where it told one.
    """

    user: str
    owner: int
    agent: str
    scopes: frozenset[str]
    key_id: str | None
    native_session: str | None = None


class Authenticator:
    """Turns a bearer token into a Caller. Keeps what it found until `forget` is called (a key was made or revoked)."""

    def __init__(self, store: Store, run_token: str | None = None) -> None:
        self._store = store
        self._run_token = run_token
        self._known: dict[str, Caller] = {}

    def cached(self, token: str) -> Caller | None:
        """The caller of a token seen before, without touching the store."""
        return self._known.get(token)

    def is_run_token(self, token: str) -> bool:
        return self._run_token is not None and hmac.compare_digest(token.encode(), self._run_token.encode())

    def local(self, agent: str | None, native_session: str | None) -> Caller:
        """The user `local` with every scope: who holds the run token owns this machine's home."""
        with self._store.write(0) as unit:
            owner = unit.users.ensure(LOCAL_USER)
        return Caller(LOCAL_USER, owner, agent or "cli", frozenset(SCOPES), None, native_session)

    def authenticate(self, token: str) -> Caller:
        """Look a key up.

        Raises:
            Problem: UNAUTHENTICATED where no such key is, or it was revoked.
        """
        with self._store.read(0) as unit:
            key = unit.keys.find(token)
        if key is None:
            raise Problem(Code.UNAUTHENTICATED, "The key is not known here, or was revoked.")
        caller = Caller(key.user, key.owner, key.agent, frozenset(key.scopes), key.id)
        self._known[token] = caller
        return caller

    def forget(self) -> None:
        """Drop what is kept in memory, so that each key is looked up again."""
        self._known.clear()
