"""What may become items of a recall, and which of it would only say the same again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bitempo.engine.lexical import is_sentence
from bitempo.engine.model import Episode, EpisodeKind, Fact
from bitempo.engine.time import Instant

Order = tuple[float, Instant, int, str]
"""Best first: less the score, then of equals the newer, the more important, and by id."""


class Candidate(NamedTuple):
    """What may become an item; `turns` are the episodes that it is known to come from."""

    kind: str
    order: Order
    signals: dict[str, float]
    turns: tuple[str, ...]
    fact: Fact | None = None
    episode: Episode | None = None


def without_repeats(found: Iterable[Candidate], limit: int) -> Sequence[Candidate]:
    """The best so many, best first, without sentences that stand in another item.

    A fact that is a whole sentence is left out when its turn is listed, or a fact of a predicate
    that was read out of that sentence, since those tell more.
    """
    ordered = sorted(found, key=lambda one: one.order)
    while True:
        best = ordered[:limit]
        turns = {
            one.order[-1]
            for one in best
            if one.episode is not None and one.episode.kind is EpisodeKind.TURN
        }
        read = {
            (turn, one.fact.text)
            for one in best
            if one.fact is not None and not is_sentence(one.fact)
            for turn in one.turns
        }
        kept = [one for one in ordered if not _repeats(one, turns, read)]
        if len(kept) == len(ordered):
            return best
        ordered = kept


def _repeats(one: Candidate, turns: set[str], read: set[tuple[str, str]]) -> bool:
    fact = one.fact
    if fact is None or not is_sentence(fact):
        return False
    return any(turn in turns or (turn, fact.text) in read for turn in one.turns)
