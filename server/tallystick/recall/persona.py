"""The persona hint: which stored persona a question is for, if any."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

STRONGEST = 3
"""How many of the best memories have a say. Chosen by hand."""
TRUSTED = 0.5
"""The confidence below which a memory has no say: it is as likely unrelated as not."""
THRESHOLD = 0.3
"""The cosine from which a question counts as being in a persona's field. Chosen by hand, and rather high: with the
definitions and the model that ship, unfitting personas reach .28, and a wrong hint costs more than none."""


def hint(
    memories: Sequence[tuple[str | None, float]],
    stored: Collection[str],
    nearness: Mapping[str, float],
    *,
    threshold: float = THRESHOLD,
) -> str | None:
    """The name of a stored persona, or None.

    `memories` are the recalled ones, strongest first, as (persona or None, confidence). The first three speak for
    their persona with their confidence, unless it is not stored here or the confidence is low; names compare without
    case. Where none speaks, `nearness` (the cosine of each persona's definition to the query) decides: the nearest
    one, from `threshold` on. Ties go to the stronger memory, then to the name that comes first.
    """
    names = {name.casefold(): name for name in sorted(stored, reverse=True)}
    votes: defaultdict[str, float] = defaultdict(float)
    for persona, confidence in memories[:STRONGEST]:
        name = names.get((persona or "").strip().casefold())
        if name is not None and confidence >= TRUSTED:
            votes[name] += confidence
    if votes:
        return max(votes, key=lambda name: votes[name])
    near = {name: cosine for name, cosine in sorted(nearness.items()) if name in stored and cosine >= threshold}
    return max(near, key=lambda name: near[name]) if near else None
