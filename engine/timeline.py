"""The one idea: facts are derived from the live assertions of a slot by one pure function.

Rules (they decide every instant t; times are UTC, intervals half-open):

1. A positive claim covers t when `start <= t < end` and no negative claim about its value, or
   about the whole slot, with equal or higher trust, cuts it there. An open negative from n cuts
   every positive that starts before n, from n on. A bounded negative cuts only inside itself.
2. In a single-valued slot the winner among those that cover t has the highest trust, then the
   latest start, then the latest `recorded_at`, then the largest id.
3. In a multi-valued slot each value stands alone: the union of what its claims cover.
4. A span is a maximal run of one value. Its support is every claim of that value whose uncut
   coverage overlaps the run.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bitempo.engine.model import Cardinality
from bitempo.engine.time import FOREVER, Instant

Key = tuple[int, Instant, Instant, str]


@dataclass(frozen=True, slots=True)
class Claim:
    """What the timeline needs to know of one live assertion.

    `value` identifies the object or literal; None, for a negative only, means the whole slot.
    """

    id: str
    value: str | None
    start: Instant
    end: Instant
    recorded_at: Instant
    trust: int = 5
    positive: bool = True

    @property
    def rank(self) -> Key:
        """Rule 2, as a key: the largest wins."""
        return (self.trust, self.start, self.recorded_at, self.id)


@dataclass(frozen=True, slots=True)
class Span:
    """One maximal run of one value, `[start, end)`.

    `lead` is the claim that gives the run its start and text. `contested` are claims of lower
    trust that would have changed the run had trust been equal; `conflicts` are claims of equal
    trust and start that the tie-break decided against.
    """

    value: str
    start: Instant
    end: Instant
    lead: str
    support: tuple[str, ...]
    contested: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()


def timeline(claims: Iterable[Claim], cardinality: Cardinality) -> list[Span]:
    """The spans of valid time that the claims of one slot (or slot family) amount to.

    Pure, and independent of the order of `claims`. Spans come ordered by start, then value.

    Args:
        claims: live claims, positive and negative; for `MANY`, of any number of values.
        cardinality: whether the slot holds one value at an instant or each value on its own.
    """
    positives: list[Claim] = []
    negatives: list[Claim] = []
    for claim in claims:
        (positives if claim.positive else negatives).append(claim)
    pieces = list(_pieces(positives, _Cuts(negatives)))
    if cardinality is Cardinality.ONE:
        return _sweep(pieces)
    by_value: dict[str, list[_Piece]] = defaultdict(list)
    for piece in pieces:
        by_value[piece.value].append(piece)
    spans = [span for value in by_value.values() for span in _sweep(value)]
    return sorted(spans, key=lambda span: (span.start, span.value))


@dataclass(frozen=True, slots=True)
class _Piece:
    """An uncut stretch of a positive claim, with the low-trust negatives that it withstood."""

    claim: Claim
    value: str
    start: Instant
    end: Instant
    withstood: tuple[Claim, ...]


class _Cuts:
    """The negatives of a slot, arranged by what they deny."""

    def __init__(self, negatives: Sequence[Claim]) -> None:
        self._bounded: dict[str | None, list[Claim]] = defaultdict(list)
        self._open: dict[str | None, dict[int, list[Instant]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self._all: dict[str | None, list[Claim]] = defaultdict(list)
        for negative in negatives:
            self._all[negative.value].append(negative)
            if negative.end == FOREVER:
                self._open[negative.value][negative.trust].append(negative.start)
            else:
                self._bounded[negative.value].append(negative)
        for levels in self._open.values():
            for starts in levels.values():
                starts.sort()

    def end_of(self, claim: Claim) -> Instant:
        """Where the first open negative that may cut `claim` cuts it; its own end if none does."""
        end = claim.end
        for value in (claim.value, None):
            for trust, starts in self._open.get(value, {}).items():
                if trust >= claim.trust:
                    after = bisect_right(starts, claim.start)
                    if after < len(starts):
                        end = min(end, starts[after])
        return end

    def inside(self, claim: Claim) -> list[tuple[Instant, Instant]]:
        """The bounded stretches cut out of `claim`, by start."""
        return sorted(
            (negative.start, negative.end)
            for value in (claim.value, None)
            for negative in self._bounded.get(value, ())
            if negative.trust >= claim.trust
        )

    def withstood(self, claim: Claim) -> tuple[Claim, ...]:
        """The negatives that only their lower trust kept from cutting `claim`."""
        return tuple(
            negative
            for value in (claim.value, None)
            for negative in self._all.get(value, ())
            if negative.trust < claim.trust
            and (negative.end != FOREVER or claim.start < negative.start)
        )


def _pieces(positives: Sequence[Claim], cuts: _Cuts) -> Iterator[_Piece]:
    for claim in positives:
        if claim.value is None:
            raise ValueError(f"positive claim {claim.id} has no value")
        end = cuts.end_of(claim)
        withstood = cuts.withstood(claim)
        at = claim.start
        for cut_start, cut_end in cuts.inside(claim):
            if cut_start >= end:
                break
            if cut_start > at:
                yield _Piece(claim, claim.value, at, cut_start, withstood)
            at = max(at, cut_end)
        if at < end:
            yield _Piece(claim, claim.value, at, end, withstood)


def _sweep(pieces: Sequence[_Piece]) -> list[Span]:
    """Walk the boundaries in order, keeping the covering pieces ranked; join equal neighbours."""
    starts: dict[Instant, list[_Piece]] = defaultdict(list)
    ends: dict[Instant, list[_Piece]] = defaultdict(list)
    for piece in pieces:
        starts[piece.start].append(piece)
        ends[piece.end].append(piece)
    covering = _Covering()
    spans: list[Span] = []
    run: _Run | None = None
    for at in sorted(starts.keys() | ends.keys()):
        for piece in ends.get(at, ()):
            covering.remove(piece)
        for piece in starts.get(at, ()):
            covering.add(piece)
        winner = covering.winner()
        if run is not None and (winner is None or winner.value != run.value):
            spans.append(run.close(at))
            run = None
        if winner is not None:
            if run is None:
                run = _Run(winner.value, at, covering.lead(winner.value))
            run.extend(at, covering, winner, starts.get(at, ()))
    return spans


class _Covering:
    """The pieces that cover the present instant, ranked with trust and without."""

    def __init__(self) -> None:
        self._ranked: list[tuple[Key, _Piece]] = []
        self._untrusting: list[tuple[tuple[Instant, Instant, str], _Piece]] = []

    def add(self, piece: _Piece) -> None:
        rank = piece.claim.rank
        insort(self._ranked, (rank, piece), key=lambda entry: entry[0])
        insort(self._untrusting, (rank[1:], piece), key=lambda entry: entry[0])

    def remove(self, piece: _Piece) -> None:
        rank = piece.claim.rank
        self._ranked.pop(bisect_right(self._ranked, rank, key=lambda entry: entry[0]) - 1)
        self._untrusting.pop(
            bisect_right(self._untrusting, rank[1:], key=lambda entry: entry[0]) - 1
        )

    def winner(self) -> _Piece | None:
        return self._ranked[-1][1] if self._ranked else None

    def lead(self, value: str) -> str:
        """Of the best-ranked claims of the value, the first on record: a later restatement
        must not change the text of what is believed already."""
        claims = [piece.claim for _, piece in self._ranked if piece.value == value]
        return min(claims, key=lambda c: (-c.trust, -c.start, c.recorded_at, c.id)).id

    def of(self, value: str) -> Iterator[Claim]:
        return (piece.claim for _, piece in self._ranked if piece.value == value)

    def conflicting(self, winner: _Piece) -> Iterator[Claim]:
        for _, piece in reversed(self._ranked):
            claim = piece.claim
            if (claim.trust, claim.start) != (winner.claim.trust, winner.claim.start):
                return
            if piece.value != winner.value:
                yield claim

    def contesting(self, winner: _Piece) -> Iterator[Claim]:
        rank = winner.claim.rank[1:]
        for key, piece in reversed(self._untrusting):
            if key <= rank:
                return
            if piece.value != winner.value:
                yield piece.claim


class _Run:
    """A run of one value under way."""

    def __init__(self, value: str, start: Instant, lead: str) -> None:
        self.value = value
        self._start = start
        self._lead = lead
        self._support: set[str] = set()
        self._contested: set[str] = set()
        self._conflicts: set[str] = set()
        self._winner: _Piece | None = None
        self._won_from = start

    def extend(
        self, at: Instant, covering: _Covering, winner: _Piece, entering: Sequence[_Piece]
    ) -> None:
        if self._support:
            self._support.update(p.claim.id for p in entering if p.value == self.value)
        else:
            self._support.update(claim.id for claim in covering.of(self.value))
        self._conflicts.update(claim.id for claim in covering.conflicting(winner))
        self._contested.update(claim.id for claim in covering.contesting(winner))
        if winner is not self._winner:
            self._settle(at)
            self._winner, self._won_from = winner, at

    def close(self, end: Instant) -> Span:
        self._settle(end)
        return Span(
            value=self.value,
            start=self._start,
            end=end,
            lead=self._lead,
            support=tuple(sorted(self._support)),
            contested=tuple(sorted(self._contested)),
            conflicts=tuple(sorted(self._conflicts)),
        )

    def _settle(self, until: Instant) -> None:
        """Count the negatives withstood while the winner won: elsewhere they reach nothing."""
        if self._winner is not None:
            self._contested.update(
                negative.id
                for negative in self._winner.withstood
                if negative.start < until and self._won_from < negative.end
            )
