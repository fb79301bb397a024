"""Claims for the timeline tests: few instants, so that they collide, and both unbounded ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hypothesis import strategies as st

from bitempo.engine.model import Cardinality
from bitempo.engine.time import BEGINNING, FOREVER, Instant
from bitempo.engine.timeline import Claim, timeline

CARDINALITIES = (Cardinality.ONE, Cardinality.MANY)
VALUES = ("x", "y", "z")


def claim(
    id: str,
    value: str | None,
    start: Instant = BEGINNING,
    end: Instant = FOREVER,
    *,
    recorded_at: Instant = 0,
    trust: int = 5,
    positive: bool = True,
) -> Claim:
    """A claim, with everything unsaid at its default."""
    return Claim(id, value, start, end, recorded_at, trust, positive)


def held(claims: Iterable[Claim], cardinality: Cardinality) -> Callable[[Instant], frozenset[str]]:
    """What the timeline under test holds, as a function of the instant."""
    spans = timeline(claims, cardinality)

    def at(instant: Instant) -> frozenset[str]:
        return frozenset(span.value for span in spans if span.start <= instant < span.end)

    return at


@st.composite
def claim_lists(draw: st.DrawFn, *, min_size: int = 0, max_size: int = 9) -> list[Claim]:
    """Claims of one slot family, dense in time, trust and recording; ids in no order."""
    size = draw(st.integers(min_size, max_size))
    numbers = draw(st.permutations(range(size)))
    return [draw(_claims(f"c{number:02}")) for number in numbers]


@st.composite
def _claims(draw: st.DrawFn, id: str) -> Claim:
    positive = draw(st.sampled_from((True, True, True, False)))
    value = draw(st.sampled_from(VALUES if positive else (*VALUES, None)))
    start = draw(st.one_of(st.integers(0, 8), st.just(BEGINNING)))
    ends = st.integers(1 if start == BEGINNING else start + 1, 10)
    end = draw(st.one_of(st.just(FOREVER), ends))
    return Claim(
        id,
        value,
        start,
        end,
        recorded_at=draw(st.integers(0, 3)),
        trust=draw(st.sampled_from((3, 5, 8))),
        positive=positive,
    )


def without(claims: Sequence[Claim], dropped: Claim) -> list[Claim]:
    """The claims less one of them."""
    return [other for other in claims if other.id != dropped.id]
