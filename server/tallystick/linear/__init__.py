"""Linear: its API over HTTP, the keys of its workspaces, and what its answers look like here. Knows no handler and no store."""

from .failures import LinearFailure, Refused, Throttled, Unknown, Unreachable
from .gateway import Connection, Gateway
from .workspaces import Workspace, Workspaces, chosen

__all__ = [
    "Connection",
    "Gateway",
    "LinearFailure",
    "Refused",
    "Throttled",
    "Unknown",
    "Unreachable",
    "Workspace",
    "Workspaces",
    "chosen",
]
