"""Dates as other people's files write them."""

from __future__ import annotations

from datetime import UTC, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitempo.engine.errors import InvalidTimeError
from bitempo.engine.time import parse_instant
from bitempo.ingest.loaders.stamps import find_stamp, parse_clock, parse_stamp
from bitempo.ingest.sessions import EARLIEST, LATEST


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00Z"),
        ("12:09 am on 13 September, 2023", "2023-09-13T00:09:00Z"),
        ("12:30 pm on 1 January, 2022", "2022-01-01T12:30:00Z"),
        ("2023/04/10 (Mon) 23:07", "2023-04-10T23:07:00Z"),
        ("2024-05-01", "2024-05-01T00:00:00Z"),
        ("2024-05-01 10:32", "2024-05-01T10:32:00Z"),
        ("2024-05-01 10:32:07", "2024-05-01T10:32:07Z"),
        ("2024-05-01T10:32:00+02:00", "2024-05-01T08:32:00Z"),
        ("2024.5.1", "2024-05-01T00:00:00Z"),
        ("May 8, 2023", "2023-05-08T00:00:00Z"),
        ("Monday, May 8th, 2023 at 9:05 a.m.", "2023-05-08T09:05:00Z"),
        ("Sat 6 Apr 2024, 10:30", "2024-04-06T10:30:00Z"),
    ],
)
def test_stamps_are_read_in_the_zone_of_the_load(text: str, expected: str) -> None:
    assert parse_stamp(text, UTC) == parse_instant(expected)
    assert find_stamp(text, UTC) == parse_instant(expected)


def test_a_stamp_without_offset_is_local_and_one_with_offset_is_not() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    assert parse_stamp("1:56 pm on 8 May, 2023", tokyo) == parse_instant("2023-05-08T04:56:00Z")
    assert parse_stamp("2023-05-08T04:56:00Z", tokyo) == parse_instant("2023-05-08T04:56:00Z")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "31 February, 2023",
        "2023/13/01",
        "8 Brumaire, 2023",
        "25:00 on 8 May, 2023",
        "13:56 pm on 8 May, 2023",
        "8 May, 2023 or so",
        "10:30",
        "0000-01-01",
    ],
)
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(InvalidTimeError):
        parse_stamp(text, UTC)


@pytest.mark.parametrize("value", [None, 3, [], {}])
def test_what_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(InvalidTimeError):
        parse_stamp(value, UTC)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Session 3 (14 August 2023, 2:24 pm)", "2023-08-14T14:24:00Z"),
        ("2024-05-01: planning", "2024-05-01T00:00:00Z"),
        ("Call of 2024-05-01T10:00:00+02:00", "2024-05-01T08:00:00Z"),
    ],
)
def test_dates_are_found_within_headings(heading: str, expected: str) -> None:
    assert find_stamp(heading, UTC) == parse_instant(expected)


def test_no_date_is_found_where_there_is_none() -> None:
    assert find_stamp("May the 4th be with you, at 10:30", UTC) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10:32", time(10, 32)),
        ("1:56 pm", time(13, 56)),
        ("23:59:59", time(23, 59, 59)),
        ("24:00", None),
        ("10", None),
        ("at 10:32", None),
    ],
)
def test_times_of_day(text: str, expected: time | None) -> None:
    assert parse_clock(text) == expected


@given(st.datetimes())
def test_the_locomo_form_is_read_back_to_the_minute(moment) -> None:  # type: ignore[no-untyped-def]
    minute = moment.replace(second=0, microsecond=0)
    hour = minute.hour % 12 or 12
    half = "pm" if minute.hour >= 12 else "am"
    months = "January February March April May June July August September October November December"
    month = months.split()[minute.month - 1]
    text = f"{hour}:{minute:%M} {half} on {minute.day} {month}, {minute.year:04d}"
    assert parse_stamp(text, UTC) == parse_instant(minute.replace(tzinfo=UTC))


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        instant = parse_stamp(text, ZoneInfo("Pacific/Kiritimati"))
    except InvalidTimeError:
        return
    assert EARLIEST <= instant <= LATEST
