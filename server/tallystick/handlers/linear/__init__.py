"""Handlers of the group linear: reading, writing, links to memories, and the workspaces."""

from .issues import Issues
from .links import Links
from .lists import Lists
from .places import Places
from .reads import Reads


class Linear(Reads, Lists, Issues, Links, Places):
    """Linear, as the two tools and the routes of the workspaces show it."""


__all__ = ["Linear"]
