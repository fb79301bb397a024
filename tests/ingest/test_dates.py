"""Times as told in conversation, each with the interval it must have."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bitempo.engine.errors import InvalidInputError
from bitempo.engine.time import (
    BEGINNING,
    FOREVER,
    Granularity,
    Instant,
    format_instant,
    parse_instant,
)
from bitempo.ingest.dates import TimeExpression, find_times, language_for, register
from bitempo.ingest.dates.fallback import search

THURSDAY = parse_instant("2023-06-15T14:30:00Z")


def only(text: str, reference: Instant = THURSDAY) -> TimeExpression:
    found = find_times(text, reference)
    assert len(found) == 1, found
    return found[0]


def told(text: str, reference: Instant = THURSDAY) -> str:
    """The interval of the one expression, short: midnights without their time."""
    valid = only(text, reference).valid
    instants = (valid.start, valid.end)
    ends = (format_instant(instant).replace("T00:00:00Z", "") for instant in instants)
    return " ".join(end.removesuffix(":00Z") for end in ends)


EXPRESSIONS = [
    # days told from the turn
    ("I called her today.", "today", "2023-06-15 2023-06-16"),
    ("We left yesterday.", "yesterday", "2023-06-14 2023-06-15"),
    ("I leave tomorrow.", "tomorrow", "2023-06-16 2023-06-17"),
    ("See you the day after tomorrow!", "the day after tomorrow", "2023-06-17 2023-06-18"),
    ("It broke the day before yesterday.", "the day before yesterday", "2023-06-13 2023-06-14"),
    ("It broke a couple of days ago.", "a couple of days ago", "2023-06-13 2023-06-14"),
    ("It broke a few days ago.", "a few days ago", "2023-06-12 2023-06-13"),
    ("We met two weeks ago.", "two weeks ago", "2023-06-01 2023-06-02"),
    ("I quit a fortnight ago.", "a fortnight ago", "2023-06-01 2023-06-02"),
    ("It was twenty-one days ago.", "twenty-one days ago", "2023-05-25 2023-05-26"),
    ("That was a hundred years ago.", "a hundred years ago", "1923-06-15 1923-06-16"),
    ("I moved three years ago.", "three years ago", "2020-06-15 2020-06-16"),
    ("We split a year and a half ago.", "a year and a half ago", "2021-12-15 2021-12-16"),
    ("I'll be back in three days.", "in three days", "2023-06-18 2023-06-19"),
    ("I'll finish it within two weeks.", "within two weeks", "2023-06-15 2023-06-29"),
    # weekdays
    ("We met last Tuesday.", "last Tuesday", "2023-06-13 2023-06-14"),
    ("See you this Friday.", "this Friday", "2023-06-16 2023-06-17"),
    ("I see her next Friday.", "next Friday", "2023-06-23 2023-06-24"),
    ("I see her this coming Sunday.", "this coming Sunday", "2023-06-18 2023-06-19"),
    ("We met on Friday.", "Friday", "2023-06-09 2023-06-10"),
    ("I will see her on Friday.", "Friday", "2023-06-16 2023-06-17"),
    ("I saw him on Thursday.", "Thursday", "2023-06-08 2023-06-09"),
    ("It was two Fridays ago.", "two Fridays ago", "2023-06-02 2023-06-03"),
    ("We start next week on Tuesday.", "next week on Tuesday", "2023-06-20 2023-06-21"),
    ("I went last Sat.", "last Sat", "2023-06-10 2023-06-11"),
    # told from other times
    ("I arrived the week before 9 June.", "the week before 9 June", "2023-06-02 2023-06-09"),
    ("It was the Friday before 9 June.", "the Friday before 9 June", "2023-06-02 2023-06-03"),
    ("The weekend before 9 June was wet.", "The weekend before 9 June", "2023-06-03 2023-06-05"),
    ("It was 3 days after January 12th.", "3 days after January 12th", "2023-01-15 2023-01-16"),
    ("We meet a week from Friday.", "a week from Friday", "2023-06-23 2023-06-24"),
    ("It was in the week of May 1st.", "the week of May 1st", "2023-05-01 2023-05-08"),
    (
        "We start the first Monday of next month.",
        "the first Monday of next month",
        "2023-07-03 2023-07-04",
    ),
    # calendar units
    ("Last week was fine.", "Last week", "2023-06-05 2023-06-12"),
    ("I leave next month.", "next month", "2023-07-01 2023-08-01"),
    ("Last year was hard.", "Last year", "2022-01-01 2023-01-01"),
    ("Earlier this week I ran.", "Earlier this week", "2023-06-12 2023-06-15"),
    ("We camped last weekend.", "last weekend", "2023-06-10 2023-06-12"),
    ("We camped this past weekend.", "this past weekend", "2023-06-10 2023-06-12"),
    ("I slept over the weekend.", "the weekend", "2023-06-10 2023-06-12"),
    ("I will sleep this weekend.", "this weekend", "2023-06-17 2023-06-19"),
    ("Sales rose in Q3 2021.", "Q3 2021", "2021-07-01 2021-10-01"),
    # months, years, seasons, decades
    ("It was in May.", "May", "2023-05-01 2023-06-01"),
    ("We married in spring 2024.", "spring 2024", "2024-03-01 2024-06-01"),
    ("Last summer we camped.", "Last summer", "2022-06-01 2022-09-01"),
    ("I was born in March 1987.", "March 1987", "1987-03-01 1987-04-01"),
    ("I quit in March last year.", "March last year", "2022-03-01 2022-04-01"),
    ("It was in early 2020.", "early 2020", "2020-01-01 2020-05-01"),
    ("It was in mid-2020.", "mid-2020", "2020-05-01 2020-09-01"),
    ("It was in late 2020.", "late 2020", "2020-09-01 2021-01-01"),
    ("I grew up in the 90s.", "the 90s", "1990-01-01 2000-01-01"),
    ("He sang in the 1990s.", "the 1990s", "1990-01-01 2000-01-01"),
    ("They left in nineteen ninety-six.", "nineteen ninety-six", "1996-01-01 1997-01-01"),
    # dates
    ("We met on 9 June.", "9 June", "2023-06-09 2023-06-10"),
    ("We met on June 9th 2022.", "June 9th 2022", "2022-06-09 2022-06-10"),
    ("We met on the 9th of June.", "the 9th of June", "2023-06-09 2023-06-10"),
    ("We met on 9/6/2023.", "9/6/2023", "2023-09-06 2023-09-07"),
    ("We met on 06/09/2023.", "06/09/2023", "2023-06-09 2023-06-10"),
    ("We met on 23/6/2022.", "23/6/2022", "2022-06-23 2022-06-24"),
    ("It was on 2022-02-28.", "2022-02-28", "2022-02-28 2022-03-01"),
    ("It was on 3-Jun-21.", "3-Jun-21", "2021-06-03 2021-06-04"),
    ("It was on the 7th.", "the 7th", "2023-06-07 2023-06-08"),
    # holidays
    ("We went to Rome for Christmas.", "Christmas", "2022-12-25 2022-12-26"),
    ("We danced on New Year's Eve.", "New Year's Eve", "2022-12-31 2023-01-01"),
    ("We met at Halloween.", "Halloween", "2022-10-31 2022-11-01"),
    ("We ate turkey on Thanksgiving.", "Thanksgiving", "2022-11-24 2022-11-25"),
    ("We hid eggs at Easter.", "Easter", "2023-04-09 2023-04-10"),
    # times of day
    ("She called at 3 pm yesterday.", "at 3 pm yesterday", "2023-06-14T15:00 2023-06-14T16:00"),
    ("We eat tonight.", "tonight", "2023-06-15T20:00 2023-06-16"),
    ("I ran this morning.", "this morning", "2023-06-15T08:00 2023-06-15T12:00"),
    ("I sang yesterday evening.", "yesterday evening", "2023-06-14T16:00 2023-06-14T20:00"),
    ("We had lunch at noon.", "at noon", "2023-06-15T12:00 2023-06-15T12:01"),
    ("Meet me at 5:30.", "at 5:30", "2023-06-15T17:30 2023-06-15T17:31"),
    ("It was last night at 8.", "last night at 8", "2023-06-14T20:00 2023-06-14T21:00"),
    ("He left half an hour ago.", "half an hour ago", "2023-06-15T14:00 2023-06-15T14:01"),
    ("I work on Monday 8-9am.", "Monday 8-9am", "2023-06-12T08:00 2023-06-12T09:00"),
    (
        "Sent 2023-06-09T14:30:00+02:00.",
        "2023-06-09T14:30:00+02:00",
        "2023-06-09T12:30 2023-06-09T12:30:01Z",
    ),
    # two ends
    ("I was there from March to May 2021.", "from March to May 2021", "2021-03-01 2021-06-01"),
    ("I was there from 2014 to 2018.", "from 2014 to 2018", "2014-01-01 2019-01-01"),
    (
        "It rained between Monday and Wednesday.",
        "between Monday and Wednesday",
        "2023-06-12 2023-06-15",
    ),
    ("We went on June 3-7, 2022.", "June 3-7, 2022", "2022-06-03 2022-06-08"),
    ("We were off from April till June.", "from April till June", "2023-04-01 2023-06-01"),
    ("I read in the past week.", "the past week", "2023-06-08 2023-06-15"),
    ("I ran for the past three years.", "for the past three years", "2020-06-15 2023-06-15"),
    # an open end
    ("I live here since 2019.", "since 2019", "2019-01-01 inf"),
    ("He works there since last week.", "since last week", "2023-06-05 inf"),
    ("I've run for the past three years.", "for the past three years", "2020-06-15 inf"),
    ("I have lived here for 5 years now.", "for 5 years now", "2018-06-15 inf"),
    ("It is open after 2019.", "after 2019", "2020-01-01 inf"),
    ("I work there starting Monday.", "starting Monday", "2023-06-19 inf"),
    ("I am away until Friday.", "until Friday", "-inf 2023-06-16"),
    ("I am away till Friday.", "till Friday", "-inf 2023-06-16"),
    ("I am away through Friday.", "through Friday", "-inf 2023-06-17"),
    ("It stays until the end of June.", "until the end of June", "-inf 2023-07-01"),
    ("I need it by Friday.", "by Friday", "-inf 2023-06-17"),
    ("The report is due Friday.", "due Friday", "-inf 2023-06-17"),
    ("I pay by the end of the month.", "by the end of the month", "-inf 2023-07-01"),
    ("I pay before the end of the month.", "before the end of the month", "-inf 2023-07-01"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expression", "interval"), EXPRESSIONS)
def test_an_expression_has_its_place_and_interval(
    text: str, expression: str, interval: str
) -> None:
    found = only(text)
    assert found.text == expression
    assert text[found.start : found.end] == expression
    assert told(text) == interval
    assert found.source == "rules"


@pytest.mark.parametrize(
    ("text", "kind", "granularity"),
    [
        ("We met last Tuesday.", "date", Granularity.DAY),
        ("I moved three years ago.", "date", Granularity.YEAR),
        ("Last summer we camped.", "date", Granularity.SEASON),
        ("We camped last weekend.", "date", Granularity.WEEKEND),
        ("I was there from 2014 to 2018.", "range", Granularity.YEAR),
        ("I live here since 2019.", "since", Granularity.YEAR),
        ("I am away until Friday.", "until", Granularity.DAY),
        ("I need it by Friday.", "deadline", Granularity.DAY),
        ("I grew up in the 90s.", "date", Granularity.DECADE),
        ("I ran this morning.", "date", Granularity.PART_OF_DAY),
        ("She called at 3 pm yesterday.", "date", Granularity.HOUR),
    ],
)
def test_kind_and_granularity_are_kept(text: str, kind: str, granularity: Granularity) -> None:
    found = only(text)
    assert (found.kind, found.granularity) == (kind, granularity)


def test_the_last_stated_unit_of_a_range_is_told() -> None:
    found = only("I was there from March to May 2021.")
    assert found.last_unit_start == parse_instant("2021-05-01")


def test_several_expressions_come_in_text_order() -> None:
    found = find_times("I left yesterday, she came last Monday and stays until Friday.", THURSDAY)
    assert [each.text for each in found] == ["yesterday", "last Monday", "until Friday"]


def test_the_nearest_cue_decides_the_direction() -> None:
    found = find_times("I went there on Monday and will go again on Monday.", THURSDAY)
    assert [format_instant(each.valid.start)[:10] for each in found] == ["2023-06-12", "2023-06-19"]


def test_recurring_times_and_durations_are_no_times() -> None:
    assert find_times("Every Friday I swim for two hours.", THURSDAY) == []


def test_days_start_at_midnight_of_the_time_zone() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    late = parse_instant("2023-06-15T23:30:00Z")
    (found,) = find_times("We met yesterday.", late, timezone=berlin)
    assert str(found.valid) == "[2023-06-14T22:00:00Z, 2023-06-15T22:00:00Z)"


def test_an_impossible_date_is_no_time() -> None:
    assert find_times("It was on February 30, 2019.", THURSDAY) == []
    assert find_times("It was on 2/29/2019.", THURSDAY) == []


@pytest.mark.parametrize("reference", [BEGINNING, FOREVER, 2**70, -(2**70)])
def test_a_turn_without_a_time_has_no_times(reference: Instant) -> None:
    assert find_times("We met yesterday.", reference) == []


def test_times_at_the_ends_of_the_calendar_do_not_overflow() -> None:
    first, last = parse_instant("0001-01-01T00:00:00Z"), parse_instant("9999-12-31T23:00:00Z")
    assert find_times("We met yesterday, last year, two weeks ago.", first) == []
    assert find_times("I will go tomorrow, next year, in two weeks.", last) == []
    assert told("We met this year.", last) == "9999-01-01 9999-12-31T23:59:59.999999Z"


def test_an_unknown_language_is_named_in_the_error() -> None:
    with pytest.raises(InvalidInputError, match=r"'xx'.*en"):
        find_times("hier", THURSDAY, language="xx")


def test_a_language_can_be_added() -> None:
    register("en-test", lambda: language_for("en"))
    assert len(find_times("yesterday", THURSDAY, language="en-test")) == 1


def test_the_library_reads_explicit_dates_only() -> None:
    moment = datetime(2023, 6, 15, 14, 30, tzinfo=UTC).replace(tzinfo=None)
    explicit = language_for("en").looks_explicit
    assert search("I may come on sat, it is fun.", moment, "en", explicit) == []
    ((start, end, stretch),) = search("It was on 5 May, 2021 or so.", moment, "en", explicit)
    assert "5 May, 2021" in "It was on 5 May, 2021 or so."[start:end]
    assert stretch.start == datetime(2021, 5, 5)
