"""Aggregates against an oracle that looks at each day; and against every time that may be meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from bitempo.engine.model import Entity, Fact
from bitempo.engine.time import BEGINNING, FOREVER, Granularity, Interval
from bitempo.query.aggregates import (
    earliest,
    in_window,
    latest,
    length,
    lengths,
    possibly_in_window,
    surely_in_window,
)
from bitempo.query.bounds import Bound, Bounds, Origin

DAYS = 8
ANA = Entity("ent_ana", "Ana")
WINDOW = st.tuples(st.integers(-1, DAYS), st.integers(1, 4)).map(
    lambda found: Interval(found[0], found[0] + found[1])
)
Times = tuple[int, int]
"""A start and an end that may be meant."""


@st.composite
def held(draw: st.DrawFn, id: str = "") -> Bounds:
    """A fact of whole days (an instant is a day here), whose ends may lie elsewhere."""
    start = draw(st.integers(0, DAYS - 2))
    end = draw(st.integers(start + 1, DAYS))
    slack = st.integers(0, 2)
    first, last = start - draw(slack), end + draw(slack)
    return Bounds(
        fact(id, start, end),
        Bound(start, first, min(start + draw(slack), last), Granularity.UNKNOWN, Origin.STATED),
        Bound(end, max(first, end - draw(slack)), last, Granularity.UNKNOWN, Origin.STATED),
    )


def fact(id: str, start: int, end: int) -> Fact:
    return Fact(id, "slot", ANA, "HOLDS", id, Interval(start, end), Interval(0), value=id)


@st.composite
def several(draw: st.DrawFn) -> list[Bounds]:
    """A few facts."""
    return [draw(held(str(number))) for number in range(draw(st.integers(0, 3)))]


def meant(one: Bounds) -> list[Times]:
    """Every start and end that may be meant."""
    return [
        (start, end)
        for start in range(one.start.earliest, one.start.latest + 1)
        for end in range(one.end.earliest, one.end.latest + 1)
        if start < end
    ]


def worlds(found: list[Bounds]) -> Iterator[tuple[Times, ...]]:
    """Every way in which all of it may have been."""
    return product(*(meant(one) for one in found))


def days(times: Iterable[Times], window: Interval) -> set[int]:
    """The days of the window that are covered."""
    return {day for start, end in times for day in range(start, end) if day in window}


@given(found=several(), window=WINDOW)
@settings(max_examples=300, deadline=None)
def test_a_duration_counts_each_day_once(found: list[Bounds], window: Interval) -> None:
    times = [(one.fact.valid.start, one.fact.valid.end) for one in found]
    assert lengths(found, window)[0] == len(days(times, window))


@given(found=several(), window=WINDOW)
@settings(max_examples=200, deadline=None)
def test_every_duration_that_may_be_meant_lies_between_the_bounds(
    found: list[Bounds], window: Interval
) -> None:
    nominal, at_least, at_most = lengths(found, window)
    assert at_least is not None
    assert at_most is not None
    assert nominal is not None
    assert at_least <= nominal <= at_most
    possible = [len(days(times, window)) for times in worlds(found)]
    assert at_least <= min(possible)
    # All of them may have held for as long as they can at once, so that bound is met.
    assert at_most == max(possible)


@given(one=held(), window=WINDOW)
@settings(max_examples=400, deadline=None)
def test_it_is_surely_or_possibly_in_a_window_if_all_or_some_times_are(
    one: Bounds, window: Interval
) -> None:
    inside = [bool(days([times], window)) for times in meant(one)]
    assert surely_in_window(one, window) is all(inside)
    assert possibly_in_window(one, window) is any(inside)
    nominal = [(one.fact.valid.start, one.fact.valid.end)]
    assert in_window(one, window) is bool(days(nominal, window))


@given(found=several(), window=WINDOW)
@settings(max_examples=200, deadline=None)
def test_what_may_begin_first_or_last_is_the_pick_or_a_rival(
    found: list[Bounds], window: Interval
) -> None:
    first, first_rivals = earliest(found, window)
    last, last_rivals = latest(found, window)
    held = [one for one in found if in_window(one, window)]
    assert (first is None) is (last is None) is (not held)
    assert all(first is not None and first.start.at <= one.start.at for one in held)
    assert all(last is not None and one.start.at <= last.start.at for one in held)
    for times in worlds(found):
        inside = [
            (start, one)
            for (start, end), one in zip(times, found, strict=True)
            if days([(start, end)], window)
        ]
        for start, one in inside:
            if start == min(begun for begun, _ in inside):
                assert one is first or one in first_rivals
            if start == max(begun for begun, _ in inside):
                assert one is last or one in last_rivals


def test_a_duration_without_bound_is_none() -> None:
    since = Interval(5, FOREVER)
    assert length([since], Interval()) is None
    assert length([since], Interval(BEGINNING, 9)) == 4
    assert length([Interval(BEGINNING, 5)], Interval(BEGINNING, 9)) is None
    assert length([Interval(BEGINNING, 5), Interval(2, 7)], Interval(1, 9)) == 6
    assert length([], Interval()) == 0
