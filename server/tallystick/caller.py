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
    """Turns a bearer token into a Caller.

    A key that was looked up is remembered until `forget` is called (a key was revoked), so that a request costs no query.

    Args:
        store: where keys and users are.
        run_token: bearer token of this machine's own programs; None where there is none.
    """

    def __init__(self, store: Store, run_token: str | None = None) -> None:
        self._store = store
        self._run_token = run_token
        self._known: dict[str, Caller] = {}
        self._revoked = 0  # how often `forget` was called: what was read before that must not be remembered after it
        with store.write(0) as unit:
            self._local = unit.users.ensure(LOCAL_USER)

    def cached(self, token: str) -> Caller | None:
        """The caller of a token seen before, without touching the store."""
        return self._known.get(token)

    def is_run_token(self, token: str) -> bool:
        """Whether this is the token in run/server.json, which only the owner of the home can read."""
        return self._run_token is not None and hmac.compare_digest(token.encode(), self._run_token.encode())

    def local(self, agent: str | None, native_session: str | None) -> Caller:
        """The user `local` with every scope: who holds the run token owns this machine's home."""
        return Caller(LOCAL_USER, self._local, agent or "cli", frozenset(SCOPES), None, native_session)

    def authenticate(self, token: str) -> Caller:
        """Look a key up.

        Raises:
            Problem: UNAUTHENTICATED where no such key is, or it was revoked.
        """
        before = self._revoked
        with self._store.read(0) as unit:
            key = unit.keys.find(token)
        if key is None:
            raise Problem(Code.UNAUTHENTICATED, "The key is not known here, or was revoked.")
        caller = Caller(key.user, key.owner, key.agent, frozenset(key.scopes), key.id)
        if before == self._revoked:
            self._known[token] = caller
        return caller

    def forget(self) -> None:
        """Look every key up anew from now on."""
        self._revoked += 1
        self._known.clear()
