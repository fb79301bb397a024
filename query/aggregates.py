"""Counts, firsts, lasts and durations: numbers computed from the intervals of facts.

Each is computed three times over: from the intervals as the timeline gives them, and from the
shortest and the longest that the granularity of what was said allows (see `bitempo.query.bounds`).
All of these functions are pure; instants and lengths are in microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bitempo.engine.model import Fact
from bitempo.engine.time import BEGINNING, FOREVER, Instant, Interval
from bitempo.query.bounds import Bound, Bounds


@dataclass(frozen=True, slots=True)
class Sourced:
    """An answer with the facts that it was computed from, and the episodes that they rest on.

    `possible` are more facts that may belong to it: what was said of their time, or of the time of
    the others, is too coarse to tell. `sources` are the ids of the episodes that are evidence of
    both, each once, in the order of the facts.
    """

    facts: tuple[Fact, ...]
    possible: tuple[Fact, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Count(Sourced):
    """How many facts there are. `values` is how many different objects or literals they have.

    The number lies between `at_least` and `at_most`.
    """

    number: int
    values: int
    at_least: int
    at_most: int


@dataclass(frozen=True, slots=True)
class Pick(Sourced):
    """The fact that was sought, or None where there is none; `possible` are its rivals."""

    fact: Fact | None

    @property
    def sure(self) -> bool:
        """Whether no other can be the one that is sought."""
        return not self.possible


@dataclass(frozen=True, slots=True)
class Duration(Sourced):
    """How long something held, until `until`; None stands for always.

    The true length lies between `at_least` and `at_most`. Time that several facts share is counted
    once.
    """

    held: timedelta | None
    at_least: timedelta | None
    at_most: timedelta | None
    until: datetime | None


def in_window(one: Bounds, window: Interval) -> bool:
    """Whether the fact holds at an instant of the window, as the timeline has it."""
    return one.fact.valid.overlaps(window)


def surely_in_window(one: Bounds, window: Interval) -> bool:
    """Whether it does wherever in their bounds its ends lie."""
    start, end = one.start, one.end
    ends_after_it_begins = end.earliest > window.start or start.earliest >= window.start
    begins_before_it_ends = start.latest < window.end or end.latest <= window.end
    return ends_after_it_begins and begins_before_it_ends


def possibly_in_window(one: Bounds, window: Interval) -> bool:
    """Whether it does for some place of its ends in their bounds."""
    return one.outer.overlaps(window)


def earliest(found: Sequence[Bounds], window: Interval) -> tuple[Bounds | None, list[Bounds]]:
    """The fact of the window that begins first, and its rivals.

    A rival is another that may hold in the window and begin no later than all that surely hold in
    it, as far as their bounds tell.
    """
    chosen = min(
        (one for one in found if in_window(one, window)),
        key=lambda one: (one.start.at, one.start.earliest, one.fact.id),
        default=None,
    )
    return chosen, _rivals(found, window, chosen, lambda one, other: one.earliest <= other.latest)


def latest(found: Sequence[Bounds], window: Interval) -> tuple[Bounds | None, list[Bounds]]:
    """The fact of the window that begins last, and its rivals, as `earliest` has them."""
    chosen = max(
        (one for one in found if in_window(one, window)),
        key=lambda one: (one.start.at, one.start.latest, one.fact.id),
        default=None,
    )
    return chosen, _rivals(found, window, chosen, lambda one, other: one.latest >= other.earliest)


def length(intervals: Iterable[Interval], window: Interval) -> int | None:
    """How much of the window the intervals cover together; None where that has no bound."""
    total = 0
    covered_to: Instant = window.start
    unbounded = False
    for interval in sorted(intervals):
        start, end = max(interval.start, covered_to), min(interval.end, window.end)
        if start >= end:
            continue
        unbounded |= start == BEGINNING or end == FOREVER
        total += end - start
        covered_to = end
    return None if unbounded else total


def lengths(found: Sequence[Bounds], window: Interval) -> tuple[int | None, int | None, int | None]:
    """How much of the window the facts cover: as the timeline has it, at least, and at most."""
    return (
        length((one.fact.valid for one in found), window),
        length((one.inner for one in found if one.inner is not None), window),
        length((one.outer for one in found), window),
    )


def _rivals(
    found: Sequence[Bounds],
    window: Interval,
    chosen: Bounds | None,
    may_lead: Callable[[Bound, Bound], bool],
) -> list[Bounds]:
    """Others that may hold in the window, and whose starts may lead those of all that surely do."""
    sure = [one for one in found if surely_in_window(one, window)]
    return [
        one
        for one in found
        if one is not chosen
        and possibly_in_window(one, window)
        and all(may_lead(one.start, other.start) for other in sure if other is not one)
    ]
