"""Memory that is given out blank.

Chroma's index library writes arrays into its files of which it has filled a part. With glibc the rest may be what another
thread of this process has just given back: texts of memories, and of requests.
"""

from __future__ import annotations

import ctypes
import sys

M_PERTURB = -6
BLANK = 0xFF  # glibc fills what it gives out with the complement of this, and what it takes back with this


def blank_memory() -> None:
    """Have this process's memory filled with zeros when it is given out. Costs some hundredths of an embedding's time."""
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if mallopt is not None:
            mallopt(M_PERTURB, BLANK)
