"""Which sessions are about a text: by its rarer words, and by the meaning of their windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

from .append import agent_scope
from .expression import confined
from .prepared import Prepared
from .search import RANKS
from .text import fold, quoted, scope
from .words import pieces, terms

if TYPE_CHECKING:
    from .embedding import FloatArray
    from .unit import Unit


@dataclass(frozen=True, slots=True)
class Weights:
    """How relevance is made of a session's best window and best message.

    Attributes:
        near, far: cosines that count as the same subject and as another one. With the packaged model questions and windows
            that answer them had .20 to .64, others -.05 to .14.
        meaning: share of meaning where a session has both; the rest is the share of the text's words.
        words: share that words alone, of a session without vectors yet, may reach.
    """

    near: float = 0.70
    far: float = 0.10
    meaning: float = 0.6
    words: float = 0.8


WEIGHTS = Weights()
COMMON = 1000  # messages from which a word says little and costs much
RAREST = 12  # words that are looked for
CANDIDATES = 50  # messages, and sessions by meaning

HOW_MANY = Prepared(
    text("SELECT count(*) FROM (SELECT 1 FROM message_words WHERE message_words MATCH :q LIMIT :limit)")
)
BEST = Prepared(
    text(
        "SELECT s.id, m.content, s.title FROM"  # noqa: S608
        f" (SELECT rowid AS n, {RANKS['session']} AS score FROM message_words WHERE message_words MATCH :q"
        " ORDER BY score LIMIT :limit) h CROSS JOIN messages m ON m.n = h.n CROSS JOIN sessions s ON s.n = m.session_n"
        " WHERE s.owner = :owner ORDER BY h.score"
    )
)


def related(
    unit: Unit, said: str, limit: int, vector: FloatArray | None, agent: str | None
) -> list[tuple[str, float]]:  # fmt: skip
    """See Sessions.related."""
    shares = _by_words(unit, said, agent)
    cosines = {} if vector is None else dict(unit.store.windows.nearest(unit.owner, vector, CANDIDATES + limit))
    candidates = set(shares) | set(cosines)
    if agent is not None:
        candidates = {one.id for one in unit.sessions.get_many(sorted(candidates)) if one.agent == agent}
    scored = ((one, _relevance(cosines.get(one), shares.get(one, 0.0))) for one in candidates)
    return sorted((pair for pair in scored if pair[1] > 0), key=lambda pair: (-pair[1], pair[0]))[:limit]


def _relevance(cosine: float | None, share: float) -> float:
    if cosine is None:
        return round(WEIGHTS.words * share, 4)
    meaning = min(1.0, max(0.0, (cosine - WEIGHTS.far) / (WEIGHTS.near - WEIGHTS.far)))
    return round(WEIGHTS.meaning * meaning + (1 - WEIGHTS.meaning) * share, 4)


def _by_words(unit: Unit, said: str, agent: str | None) -> dict[str, float]:
    """The share of the text's words that the best message of each session holds, with the session's title."""
    token = scope(unit.owner) if agent is None else agent_scope(unit.owner, agent)
    counted = []
    for term in terms(said):
        wanted = confined(quoted(term), (token,))
        number = HOW_MANY.value(unit.driver, q=wanted, limit=COMMON + 1)
        if number:
            counted.append((number, term))
    rare = [term for number, term in sorted(counted) if number <= COMMON][:RAREST]
    if rare:
        either = " OR ".join(quoted(term) for term in rare)
    elif counted:
        either = " AND ".join(quoted(term) for _, term in sorted(counted)[:RAREST])
    else:
        return {}
    asked = confined(either, (token,))
    wanted_pieces = pieces(said)
    found: dict[str, float] = {}
    for session_id, content, title in BEST.all(unit.driver, q=asked, limit=CANDIDATES, owner=unit.owner):
        folded = fold(f"{title}\n{content}")
        share = sum(piece in folded for piece in wanted_pieces) / len(wanted_pieces) if wanted_pieces else 0.0
        found[session_id] = max(share, found.get(session_id, 0.0))
    return found
