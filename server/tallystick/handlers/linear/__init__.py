"""Handlers of the group linear: reading, writing, and links to memories."""

from .issues import Issues
from .links import Links
from .lists import Lists
from .reads import Reads


class Linear(Reads, Lists, Issues, Links):
    """Linear, as the two tools show it."""


__all__ = ["Linear"]
