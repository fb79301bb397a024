"""Instants, intervals and stated times: what is kept, what is normalised, what is refused."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo.engine.errors import BitempoError, InvalidInputError, InvalidTimeError
from bitempo.engine.time import (
    BEGINNING,
    FOREVER,
    Granularity,
    Instant,
    Interval,
    TimeLike,
    format_instant,
    from_datetime,
    parse_instant,
    parse_time,
    to_datetime,
)

DAY = 86_400_000_000
FIRST = from_datetime(datetime.min.replace(tzinfo=UTC))
LAST = from_datetime(datetime.max.replace(tzinfo=UTC))
instants = st.integers(FIRST, LAST)
offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
aware = st.datetimes(
    min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=offsets
)


def utc(year: int, month: int = 1, day: int = 1) -> Instant:
    return from_datetime(datetime(year, month, day, tzinfo=UTC))


@given(instants)
def test_an_instant_survives_being_made_a_datetime(instant: Instant) -> None:
    moment = to_datetime(instant)
    assert moment is not None
    assert moment.utcoffset() == timedelta(0)
    assert from_datetime(moment) == instant


@given(instants)
def test_an_instant_survives_being_written(instant: Instant) -> None:
    text = format_instant(instant)
    assert text.endswith("Z")
    assert parse_instant(text) == instant


@given(aware)
def test_offsets_are_normalised_and_microseconds_kept(moment: datetime) -> None:
    assert to_datetime(from_datetime(moment)) == moment
    assert parse_instant(moment.isoformat()) == parse_instant(moment) == from_datetime(moment)


@given(aware, aware)
def test_instants_are_ordered_as_the_moments_are(first: datetime, second: datetime) -> None:
    assert (from_datetime(first) < from_datetime(second)) == (first < second)


@given(instants)
def test_the_sentinels_enclose_every_instant(instant: Instant) -> None:
    assert BEGINNING < instant < FOREVER


def test_the_sentinels_are_no_datetimes() -> None:
    assert to_datetime(BEGINNING) is None
    assert to_datetime(FOREVER) is None
    assert (format_instant(BEGINNING), format_instant(FOREVER)) == ("-inf", "inf")


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.000001Z", 1),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("1970-01-01T02:00:00+02:00", 0),
        ("1969-12-31T18:30:00-05:30", 0),
        ("1970-01-01T00:00Z", 0),
        ("1970-01-01 00:00:00+00:00", 0),
        ("  1970-01-01T00:00:00Z\n", 0),
    ],
)
def test_written_instants(text: str, instant: Instant) -> None:
    assert parse_time(text) == (Interval(instant, instant + 1), Granularity.INSTANT)


@pytest.mark.parametrize(
    ("value", "start", "end", "granularity"),
    [
        ("2019", utc(2019), utc(2020), Granularity.YEAR),
        ("2019-05", utc(2019, 5), utc(2019, 6), Granularity.MONTH),
        ("2019-12", utc(2019, 12), utc(2020, 1), Granularity.MONTH),
        ("2023-02", utc(2023, 2), utc(2023, 3), Granularity.MONTH),
        ("2019-05-07", utc(2019, 5, 7), utc(2019, 5, 8), Granularity.DAY),
        ("2024-02-29", utc(2024, 2, 29), utc(2024, 3, 1), Granularity.DAY),
        ("2000-02-29", utc(2000, 2, 29), utc(2000, 3, 1), Granularity.DAY),
        ("2019-12-31", utc(2019, 12, 31), utc(2020), Granularity.DAY),
        (date(2019, 5, 7), utc(2019, 5, 7), utc(2019, 5, 8), Granularity.DAY),
        ("0001", FIRST, utc(2), Granularity.YEAR),
        ("0001-01-01", FIRST, FIRST + DAY, Granularity.DAY),
    ],
)
def test_coarse_times_cover_their_whole_period(
    value: TimeLike, start: Instant, end: Instant, granularity: Granularity
) -> None:
    assert parse_time(value) == (Interval(start, end), granularity)
    assert parse_instant(value) == start


@pytest.mark.parametrize(
    ("value", "start"),
    [("9999", utc(9999)), ("9999-12", utc(9999, 12)), ("9999-12-31", utc(9999, 12, 31))],
)
def test_periods_that_reach_the_end_of_the_calendar_are_unbounded(
    value: str, start: Instant
) -> None:
    interval, _ = parse_time(value)
    assert (interval.start, interval.to) == (start, None)
    assert LAST in interval


def test_the_last_instant_is_a_time() -> None:
    interval, _ = parse_time("9999-12-31T23:59:59.999999Z")
    assert (interval.start, interval.to) == (LAST, None)
    assert str(interval) == "[9999-12-31T23:59:59.999999Z, inf)"


@given(st.dates(max_value=date(9999, 12, 30)))
def test_a_day_holds_its_first_and_last_instant_and_no_other(day: date) -> None:
    for value in (day, day.isoformat()):
        interval, granularity = parse_time(value)
        assert granularity is Granularity.DAY
        assert interval.start in interval
        assert interval.start + DAY - 1 in interval
        assert interval.start + DAY not in interval
        assert interval.from_ == datetime(day.year, day.month, day.day, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        datetime(2024, 5, 1),
        "2024-05-01T12:00:00",
        "2024-05-01 12:00",
        "2024-05-01T12",
    ],
)
def test_naive_timestamps_are_refused_with_a_way_out(value: TimeLike) -> None:
    with pytest.raises(InvalidTimeError, match="no UTC offset; give an aware datetime"):
        parse_time(value)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "   ",
        "yesterday",
        "2023-02-29",
        "1900-02-29",
        "2024-13",
        "2024-00",
        "2024-04-31",
        "0000",
        "0000-01-01",
        "10000",
        "10000-01-01",
        "-0001-01-01",
        "24-05-01",
        "2024-5-1",
        "2024-05-01T25:00:00Z",
        "2024-05-01T12:00:00+25:00",
        "2024-05-01T12:00:00Zz",
        "2024-05-01\x00",
        "2024\ud800",
        "20240501T120000Z trailing",
    ],
)
def test_text_that_is_no_time_is_refused_and_quoted(value: str) -> None:
    with pytest.raises(InvalidTimeError) as caught:
        parse_time(value)
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize("value", [None, 2024, 1.5, True, b"2024", ["2024"]])
def test_what_is_neither_a_time_nor_text_is_refused(value: object) -> None:
    with pytest.raises(InvalidTimeError, match="not " + type(value).__name__):
        parse_time(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59.999999-01:00",
        datetime.min.replace(tzinfo=timezone(timedelta(hours=1))),
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-1))),
    ],
)
def test_a_time_that_leaves_the_calendar_once_normalised_is_refused(value: TimeLike) -> None:
    with pytest.raises(InvalidTimeError, match="outside the years 1 to 9999"):
        parse_time(value)


@given(st.text(max_size=30))
def test_any_text_is_either_a_time_or_an_invalid_time(text: str) -> None:
    try:
        interval, _ = parse_time(text)
    except InvalidTimeError:
        return
    assert FIRST <= interval.start <= LAST


def test_an_invalid_time_is_caught_as_what_it_is() -> None:
    assert issubclass(InvalidTimeError, InvalidInputError)
    assert issubclass(InvalidTimeError, (BitempoError,))
    assert issubclass(InvalidTimeError, ValueError)


@given(instants, instants)
def test_an_interval_that_does_not_end_after_its_start_is_refused(
    one: Instant, other: Instant
) -> None:
    with pytest.raises(InvalidTimeError, match="must end after it starts"):
        Interval(max(one, other), min(one, other))


@pytest.mark.parametrize(
    "ends",
    [(FIRST - 1, 0), (0, LAST + 1), (BEGINNING + 1, 0), (0, FOREVER - 1), (LAST + 1, FOREVER)],
)
def test_a_bounded_end_outside_the_calendar_is_refused(ends: tuple[Instant, Instant]) -> None:
    with pytest.raises(InvalidTimeError, match="outside the years 1 to 9999"):
        Interval(*ends)


@given(st.one_of(instants, st.just(BEGINNING)), st.one_of(instants, st.just(FOREVER)))
def test_every_interval_that_can_be_made_can_be_shown(start: Instant, end: Instant) -> None:
    if start < end:
        interval = Interval(start, end)
        assert (interval.from_ is None) == (start == BEGINNING)
        assert (interval.to is None) == (end == FOREVER)
        assert str(interval) == f"[{format_instant(start)}, {format_instant(end)})"


@pytest.mark.parametrize("ends", [(FOREVER, FOREVER), (BEGINNING, BEGINNING), (FOREVER, BEGINNING)])
def test_an_empty_interval_at_the_sentinels_is_refused(ends: tuple[Instant, Instant]) -> None:
    with pytest.raises(InvalidTimeError):
        Interval(*ends)


@given(st.lists(st.integers(0, 20), min_size=4, max_size=4))
def test_intervals_overlap_when_they_share_an_instant(ends: list[int]) -> None:
    one = Interval(ends[0], ends[0] + 1 + ends[1])
    other = Interval(ends[2], ends[2] + 1 + ends[3])
    share = any(instant in one and instant in other for instant in range(45))
    assert one.overlaps(other) == other.overlaps(one) == share


def test_the_start_belongs_to_an_interval_and_the_end_does_not() -> None:
    interval = Interval(3, 5)
    assert [instant in interval for instant in (2, 3, 4, 5)] == [False, True, True, False]


def test_an_unbounded_interval_holds_everything_and_has_no_datetimes() -> None:
    always = Interval()
    assert BEGINNING in always
    assert LAST in always
    assert (always.from_, always.to, str(always)) == (None, None, "[-inf, inf)")


def test_an_interval_reads_as_half_open() -> None:
    interval = Interval(utc(2024, 5, 1), utc(2024, 6, 1))
    assert str(interval) == "[2024-05-01T00:00:00Z, 2024-06-01T00:00:00Z)"
    assert interval.to == datetime(2024, 6, 1, tzinfo=UTC)
