"""The gateway to Linear: its GraphQL API, and the workspaces whose keys are known here."""

from .failures import LinearFailure
from .gateway import Gateway
from .portal import Linear
from .workspaces import Workspace, Workspaces

__all__ = ["Gateway", "Linear", "LinearFailure", "Workspace", "Workspaces"]
