"""Cuts a session into windows of turns, each the text of one vector. Pure.

A turn is what the user said with the answer to it; single lines say too little to be found by meaning. However long a session
is, it has at most `MOST` windows: from some length on a window holds 2, 4, 8 … turns and of each only its beginning. That
bounds what an import costs, and the doubling keeps most windows of a growing session as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

MOST = 24
CHARS = 900  # of a window: about what the model reads
SHORT = 300  # characters under which a turn shares its window with the next one
LEAST = 60  # characters of each turn at least
TITLE_CHARS = 80
ROLES = ("user", "assistant")


def windows(title: str, said: Iterable[tuple[str, str]]) -> list[str]:
    """The windows of a session.

    Args:
        title: of the session; goes in front of each.
        said: (role, text) of its messages in order, the texts cut at `CHARS`; only those of users and assistants count.
    """
    turns = list(_turns(said))
    together = 1
    while len(turns) > MOST * together:
        together *= 2
    share = max(LEAST, CHARS // together)
    made, lead = [], title[:TITLE_CHARS]
    for start in range(0, len(turns), together):
        text = "\n".join(turn[:share] for turn in turns[start : start + together])
        made.append(f"{lead}\n{text[: CHARS * 2]}".strip())
    return list(dict.fromkeys(made)) or ([title] if title else [])


def _turns(said: Iterable[tuple[str, str]]) -> Iterator[str]:
    lines: list[str] = []
    size, answered = 0, False
    for role, text in said:
        text = text.strip()
        if role not in ROLES or not text:
            continue
        if role == "user" and answered and size >= SHORT:
            yield "\n".join(lines)
            lines, size, answered = [], 0, False
        # Question and answer both keep their place in the window, however long either is.
        if size < CHARS:
            lines.append(text[: CHARS // 2])
            size += len(lines[-1])
        answered = answered or role == "assistant"
    if lines:
        yield "\n".join(lines)
