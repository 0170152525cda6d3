"""From a user's full-text expression to one that the indexes understand, confined to what it may see.

The indexes hold folded text in which CJK characters stand alone and symbols are words (see text.py), so the words and
phrases of an expression are turned the same way; its operators, column names and brackets are left as they are.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterator, Sequence

from .text import quoted, words_of
from .words import STOP, TERMS

COLUMNS = "title body"  # what a user's expression may look into
# FTS5's own tokens: a string, a bareword, blanks, anything else. Blanks beyond ASCII are for it letters; for a person they are not.
_lexeme = re.compile(r'"(?:[^"]|"")*"|(?:[\w\x1a]|[^\x00-\x7f\s])+|\s+|.', re.DOTALL)
_names_column = re.compile(r"\s*:")
_says_something = re.compile(r"[^\W_]")


def readings(query: str) -> Iterator[tuple[str, str | None]]:
    """The ways to read a query, to be tried until one finds something.

    Yields:
        An FTS5 expression, and how it reads for a person: None for the query as it stands. An expression that parses is the
        only reading; otherwise every blank-separated piece is a phrase, all of them, then any of them.
    """
    query = query.replace("\x00", " ")  # it would end the expression
    turned = _turned(query)
    if _syntax.accepts(turned):
        yield turned, None
        return
    pieces = [piece for piece in dict.fromkeys(query.split()) if _says_something.search(words_of(piece))][:TERMS]
    if not pieces:
        return
    yield _joined(pieces, " AND ", turn=True), _joined(pieces, " AND ")
    # Words that are in every text bring nothing but time, unless there are no others.
    telling = [piece for piece in pieces if piece.casefold() not in STOP] or pieces
    if len(pieces) > 1:
        yield _joined(telling, " OR ", turn=True), _joined(telling, " OR ")


def confined(expression: str, scopes: Sequence[str]) -> str:
    """An expression that parses by itself, over the user's columns and only where all of some scope tokens are.

    Standing in brackets, it cannot leave them: what parses by itself has none that close more than they open.
    """
    inner = f"{{{COLUMNS}}}:({expression})"
    return " AND ".join([*(f"scope:{quoted(scope)}" for scope in scopes), inner])


def _joined(pieces: list[str], operator: str, turn: bool = False) -> str:
    return operator.join(quoted(words_of(piece) if turn else piece) for piece in pieces)


def _turned(query: str) -> str:
    made: list[str] = []
    in_columns = False
    for found in _lexeme.finditer(query):
        lexeme = found[0]
        if lexeme[0] == '"' and len(lexeme) > 1:
            made.append(quoted(words_of(lexeme[1:-1].replace('""', '"'))))
        elif lexeme.isascii() or in_columns:
            in_columns = lexeme == "{" or (in_columns and lexeme != "}")
            made.append(lexeme)
        elif lexeme.isspace():
            made.append(" ")
        elif _names_column.match(query, found.end()):
            made.append(lexeme)  # no such column: the expression will not parse
        else:
            words = words_of(lexeme)
            made.append(quoted(words) if _says_something.search(words) else " ")
    return "".join(made)


class _Syntax:
    """Tells whether an expression parses, by itself and confined, without asking an index: empty ones decide."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._connection.execute(f"CREATE VIRTUAL TABLE bare USING fts5({COLUMNS.replace(' ', ', ')})")
        self._connection.execute(f"CREATE VIRTUAL TABLE whole USING fts5({COLUMNS.replace(' ', ', ')}, scope)")

    def accepts(self, expression: str) -> bool:
        if not expression.strip():
            return False
        with self._lock:
            try:
                self._connection.execute("SELECT 1 FROM bare WHERE bare MATCH ?", [expression]).fetchall()
                within = confined(expression, ("u1", "u1"))  # nested deeper, and there is a limit to that
                self._connection.execute("SELECT 1 FROM whole WHERE whole MATCH ?", [within]).fetchall()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorname != "SQLITE_ERROR":
                    raise
                return False
        return True


_syntax = _Syntax()
