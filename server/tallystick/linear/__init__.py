"""The gateway to Linear: its GraphQL API, and the workspaces whose keys are known here."""

from .failures import LinearFailure
from .gateway import Gateway
from .workspaces import Workspace, Workspaces

__all__ = ["Gateway", "LinearFailure", "Workspace", "Workspaces"]
