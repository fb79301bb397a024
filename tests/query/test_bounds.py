"""How far a stated time reaches: its unit, or as much around it as it was counted in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo.engine.model import Assertion, Entity, Fact
from bitempo.engine.time import (
    BEGINNING,
    FOREVER,
    Granularity,
    Instant,
    Interval,
    parse_instant,
    parse_time,
)
from bitempo.query.bounds import Bounds, bounds

DAY = 86_400_000_000


def held(valid: Interval, unit: Granularity) -> Bounds:
    """The bounds of a fact that one assertion states in that unit."""
    said = Assertion("a", "ent_ana", "IS", "", ("e",), valid, Interval(0), granularity=unit)
    fact = Fact("f", "slot", Entity("ent_ana", "Ana"), "IS", "", valid, Interval(0), support=("a",))
    return bounds(fact, [fact], {"a": said})


def start(at: Instant, unit: Granularity) -> tuple[Instant, Instant]:
    found = held(Interval(at), unit).start
    assert (found.at, found.granularity) == (at, unit)
    return found.earliest, found.latest


@given(st.dates(), st.sampled_from(("%Y", "%Y-%m", "%Y-%m-%d")))
def test_a_start_lies_in_the_unit_that_was_stated(date: object, form: str) -> None:
    text = format(date, form)  # Years of fewer than four digits are padded as ISO 8601 has them.
    text = text.rjust(len(text) + max(0, 4 - len(text.split("-")[0])), "0")
    interval, unit = parse_time(text)
    last = interval.end if interval.end == FOREVER else interval.end - 1
    assert start(interval.start, unit) == (interval.start, last)


@pytest.mark.parametrize(
    ("at", "unit", "until"),
    [
        ("2024-06-01", Granularity.SEASON, "2024-09-01"),
        ("2024-04-01", Granularity.QUARTER, "2024-07-01"),
        ("1990-01-01", Granularity.DECADE, "2000-01-01"),
        ("1901-01-01", Granularity.CENTURY, "2001-01-01"),
        ("2024-05-06", Granularity.WEEK, "2024-05-13"),
        ("2024-05-04", Granularity.WEEKEND, "2024-05-06"),
        ("2024-05-04T10:00Z", Granularity.HOUR, "2024-05-04T11:00Z"),
        # The first of January of Lisbon in winter, of Tokyo, and of Los Angeles.
        ("2020-01-01", Granularity.YEAR, "2021-01-01"),
        ("2019-12-31T15:00Z", Granularity.YEAR, "2020-12-31T15:00Z"),
        ("2020-01-01T08:00Z", Granularity.YEAR, "2021-01-01T08:00Z"),
    ],
)
def test_units_are_those_of_the_calendar_wherever_they_begin(
    at: str, unit: Granularity, until: str
) -> None:
    assert start(parse_instant(at), unit) == (parse_instant(at), parse_instant(until) - 1)


def test_what_was_counted_lies_a_unit_around() -> None:
    counted = parse_instant("2021-05-14")
    assert start(counted, Granularity.YEAR) == (counted - 366 * DAY, counted + 366 * DAY)
    assert start(counted, Granularity.INSTANT) == (counted, counted)
    assert start(parse_instant("0003-05-14"), Granularity.DECADE)[0] == BEGINNING
    assert start(parse_instant("9998-05-14"), Granularity.DECADE)[1] == FOREVER
    assert start(parse_instant("9999-12-31T20:00Z"), Granularity.YEAR)[1] == FOREVER


def test_of_what_happened_at_some_time_of_a_unit_nothing_is_sure_but_that() -> None:
    year, unit = parse_time("2019")
    found = held(year, unit)
    assert found.inner is None
    assert found.outer == year
