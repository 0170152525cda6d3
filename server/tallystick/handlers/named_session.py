"""Which session a caller means: by id, by the agent's own id, or `current`."""

from __future__ import annotations

from datetime import timedelta

from tallystick_contract.errors import Code

from ..context import Context
from ..problem import Problem
from ..store import SessionRecord

CURRENT = "current"
RECENT = timedelta(hours=1)


def current_session(context: Context) -> SessionRecord | None:
    """The session the caller is in: its client's own, else the only one of that agent active in the last hour.

    None where that does not tell one: several, none, or one that was not captured. It is never guessed.
    """
    caller, sessions = context.caller, context.unit.sessions
    if caller.native_session is not None:
        return sessions.get(caller.native_session, caller.agent)
    active = sessions.active(caller.agent, context.now - RECENT)
    return active[0] if len(active) == 1 else None


def named_session(context: Context, name: str, argument: str) -> SessionRecord:
    """The session of that name.

    Raises:
        Problem: NOT_FOUND where there is none; INVALID_PARAMS where `current` does not tell one.
    """
    if name == CURRENT:
        session = current_session(context)
        if session is None:
            raise Problem(
                Code.INVALID_PARAMS,
                f"/{argument}: current does not tell one session: your client named none that was captured, and there is not "
                "exactly one of your agent active in the last hour.",
                next_action="Name the session by its id; GET /v1/sessions and memvault_search give ids.",
            )
        return session
    found = context.unit.sessions.get(name, context.caller.agent)
    if found is None:
        raise Problem(Code.NOT_FOUND, f"Session not found: {name}")
    return found
