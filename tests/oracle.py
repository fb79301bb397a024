"""A brute-force oracle of the timeline rules, one instant at a time.

Written from the rules as stated, not from `bitempo.engine.timeline`: no sweep, no index,
every question is answered by looking at every claim. Slow on purpose.

The rules, for a single-valued slot (times are half-open, an unbounded start precedes all):

1. a positive covers t when `from <= t`, and (`to` is null or `t < to`), and no negative about its
   value or the whole slot, of equal or higher trust, cuts it: an open negative from n cuts every
   positive with `from < n` from n on; a bounded negative `[n, m)` cuts only inside;
2. of those that cover t the winner has the highest trust, then the latest `from`, then the latest
   `recorded_at`, then the largest id.

In a multi-valued slot each value stands alone. Facts are the maximal runs of equal value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bitempo.engine.model import Cardinality
from bitempo.engine.time import BEGINNING, FOREVER, Instant
from bitempo.engine.timeline import Claim


@dataclass(frozen=True)
class Run:
    """What the rules say of one maximal run, without the choice of its lead."""

    value: str
    start: Instant
    end: Instant
    support: frozenset[str]
    contested: frozenset[str]
    conflicts: frozenset[str]


def value_at(
    claims: Collection[Claim], cardinality: Cardinality, instant: Instant
) -> frozenset[str]:
    """The values that hold at the instant: at most one in a single-valued slot."""
    if cardinality is Cardinality.MANY:
        return frozenset(value for c in claims if covers(c, claims, instant) if (value := c.value))
    winner = winner_at(claims, instant)
    return frozenset() if winner is None or winner.value is None else frozenset({winner.value})


def covers(claim: Claim, claims: Iterable[Claim], instant: Instant) -> bool:
    """Rule 1: whether a positive claim covers the instant, given all the claims of its slot."""
    return (
        claim.positive
        and claim.start <= instant
        and (claim.end == FOREVER or instant < claim.end)
        and not any(
            denies(negative, claim)
            and negative.trust >= claim.trust
            and cuts(negative, claim, instant)
            for negative in claims
        )
    )


def denies(negative: Claim, claim: Claim) -> bool:
    """Whether it is a negative about the claim's value, or about the whole slot."""
    return not negative.positive and negative.value in (None, claim.value)


def cuts(negative: Claim, claim: Claim, instant: Instant) -> bool:
    """Whether the negative reaches the claim at the instant, whatever the trust of either."""
    if negative.end == FOREVER:
        return claim.start < negative.start <= instant
    return negative.start <= instant < negative.end


def winner_at(claims: Collection[Claim], instant: Instant) -> Claim | None:
    """Rule 2: the claim that decides the instant; None when nothing covers it."""
    covering = [claim for claim in claims if covers(claim, claims, instant)]
    return max(covering, key=lambda c: (c.trust, c.start, c.recorded_at, c.id), default=None)


def support_at(claims: Collection[Claim], value: str, instant: Instant) -> frozenset[str]:
    """Every claim of the value that covers the instant, whatever its trust."""
    return frozenset(c.id for c in claims if c.value == value and covers(c, claims, instant))


def lead_of(claims: Collection[Claim], run: Run) -> str:
    """The claim that gives a run its start and text.

    Of those of the value that cover its start: the highest trust, then the latest start, then the
    first on record, so that saying the same again does not change the text of what is believed.
    """
    covering = support_at(claims, run.value, run.start)
    best = min(
        (c for c in claims if c.id in covering),
        key=lambda c: (-c.trust, -c.start, c.recorded_at, c.id),
    )
    return best.id


def conflicts_at(claims: Collection[Claim], instant: Instant) -> frozenset[str]:
    """Claims of another value that only the tie-break among equal trust and start decided."""
    winner = winner_at(claims, instant)
    return frozenset(
        c.id
        for c in claims
        if winner is not None
        and c.value != winner.value
        and (c.trust, c.start) == (winner.trust, winner.start)
        and covers(c, claims, instant)
    )


def contested_at(claims: Collection[Claim], instant: Instant) -> frozenset[str]:
    """Claims of lower trust that the winner withstood at the instant.

    They are later claims of another value that would supersede it, and negatives that would cut
    it, had their trust been no lower.
    """
    winner = winner_at(claims, instant)
    if winner is None:
        return frozenset()
    lower = [claim for claim in claims if claim.trust < winner.trust]
    later = {
        c.id
        for c in lower
        if c.value != winner.value
        and covers(c, claims, instant)
        and (c.start, c.recorded_at, c.id) > (winner.start, winner.recorded_at, winner.id)
    }
    return frozenset(
        later | {c.id for c in lower if denies(c, winner) and cuts(c, winner, instant)}
    )


def runs(claims: Sequence[Claim], cardinality: Cardinality) -> list[Run]:
    """All maximal runs, ordered by start, then value."""
    if cardinality is Cardinality.ONE:
        return _runs_of_slot(claims)
    values = sorted({c.value for c in claims if c.value is not None})
    alone = [[c for c in claims if c.value in (None, value)] for value in values]
    found = [run for slot in alone for run in _runs_of_slot(slot)]
    return sorted(found, key=lambda run: (run.start, run.value))


def boundaries(claims: Iterable[Claim]) -> list[Instant]:
    """The instants at which an answer may change: between two of them nothing does."""
    return sorted({BEGINNING, FOREVER}.union(*({c.start, c.end} for c in claims)))


def around(claims: Iterable[Claim]) -> list[Instant]:
    """Every boundary and the instants just before and after it, as far as they are instants."""
    near = {edge + step for edge in boundaries(claims) for step in (-1, 0, 1)}
    return sorted(instant for instant in near if BEGINNING <= instant < FOREVER)


def _runs_of_slot(claims: Sequence[Claim]) -> list[Run]:
    edges = boundaries(claims)
    found: list[Run] = []
    for start, end in pairwise(edges):
        winner = winner_at(claims, start)
        if winner is None or winner.value is None:
            continue
        stretch = Run(
            winner.value,
            start,
            end,
            support_at(claims, winner.value, start),
            contested_at(claims, start),
            conflicts_at(claims, start),
        )
        if found and found[-1].end == start and found[-1].value == stretch.value:
            stretch = _joined(found.pop(), stretch)
        found.append(stretch)
    return found


def _joined(first: Run, second: Run) -> Run:
    return Run(
        first.value,
        first.start,
        second.end,
        first.support | second.support,
        first.contested | second.contested,
        first.conflicts | second.conflicts,
    )
