"""Linear: its API over HTTP, the keys of its workspaces, and what its answers look like here. Knows no handler and no store."""

from .failures import LinearFailure, Refused, Throttled, Unknown, Unreachable
from .gateway import Connection, Gateway
from .workspaces import Kept, Unusable, Workspace, Workspaces

__all__ = [
    "Connection",
    "Gateway",
    "Kept",
    "LinearFailure",
    "Refused",
    "Throttled",
    "Unknown",
    "Unreachable",
    "Unusable",
    "Workspace",
    "Workspaces",
]
