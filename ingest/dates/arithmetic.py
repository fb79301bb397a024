"""Calendar arithmetic on wall-clock times.

Wall-clock times are naive datetimes, read in the speaker's own time zone; `finding.py` turns
them into instants. Whatever leaves the years 1 to 9999 raises ValueError or OverflowError, which
the caller reads as "no such time", except that the end of the year 9999 is the last instant there
is. Weeks start on Monday (ISO 8601).
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from enum import StrEnum
from fractions import Fraction

from bitempo.engine.time import Granularity


class Unit(StrEnum):
    """What calendar time is counted in."""

    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEKEND = "weekend"
    WEEK = "week"
    FORTNIGHT = "fortnight"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"


GRANULARITIES = {
    Unit.SECOND: Granularity.INSTANT,
    Unit.MINUTE: Granularity.MINUTE,
    Unit.HOUR: Granularity.HOUR,
    Unit.DAY: Granularity.DAY,
    Unit.WEEKEND: Granularity.WEEKEND,
    Unit.WEEK: Granularity.WEEK,
    Unit.FORTNIGHT: Granularity.WEEK,
    Unit.MONTH: Granularity.MONTH,
    Unit.QUARTER: Granularity.QUARTER,
    Unit.YEAR: Granularity.YEAR,
    Unit.DECADE: Granularity.DECADE,
    Unit.CENTURY: Granularity.CENTURY,
}

MONTHS_IN = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12, Unit.DECADE: 120, Unit.CENTURY: 1200}
SECONDS_IN = {
    Unit.SECOND: 1,
    Unit.MINUTE: 60,
    Unit.HOUR: 3600,
    Unit.DAY: 86_400,
    Unit.WEEKEND: 7 * 86_400,
    Unit.WEEK: 7 * 86_400,
    Unit.FORTNIGHT: 14 * 86_400,
}
DAY = timedelta(days=1)


def midnight(day: date) -> datetime:
    """The start of the day."""
    return datetime(day.year, day.month, day.day)


def start_of(unit: Unit, moment: datetime) -> datetime:
    """The start of the calendar unit in which the moment lies; a weekend is that of its week."""
    if unit in (Unit.SECOND, Unit.MINUTE, Unit.HOUR):
        second = moment.second if unit is Unit.SECOND else 0
        minute = 0 if unit is Unit.HOUR else moment.minute
        return moment.replace(minute=minute, second=second, microsecond=0)
    day = midnight(moment.date())
    if unit is Unit.DAY:
        return day
    if unit in (Unit.WEEK, Unit.FORTNIGHT, Unit.WEEKEND):
        week = day - moment.weekday() * DAY
        return week + 5 * DAY if unit is Unit.WEEKEND else week
    if unit is Unit.MONTH:
        return day.replace(day=1)
    if unit is Unit.QUARTER:
        return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
    years = MONTHS_IN[unit] // 12
    return datetime(max(1, day.year // years * years), 1, 1)


def span_of(unit: Unit, moment: datetime, offset: int = 0) -> tuple[datetime, datetime]:
    """The calendar unit in which the moment lies, moved by `offset` units."""
    anchor = start_of(unit, moment)
    start = shifted(anchor, Fraction(offset), unit) if offset else anchor
    return start, end_of(unit, start)


def end_of(unit: Unit, start: datetime) -> datetime:
    """Where a unit that starts at `start` ends; the end of 9999 is the last instant there is."""
    try:
        if unit is Unit.WEEKEND:
            return start + 2 * DAY
        if start == datetime.min and unit in (Unit.DECADE, Unit.CENTURY):
            # The first of them lacks the year 0.
            return datetime(MONTHS_IN[unit] // 12, 1, 1)
        return shifted(start, Fraction(1), unit)
    except (ValueError, OverflowError):
        return datetime.max


def shifted(moment: datetime, count: Fraction, unit: Unit) -> datetime:
    """The moment moved by a count of units; the 31st becomes the last day of a shorter month.

    The fraction of a month counts thirty days to the month.
    """
    if unit in SECONDS_IN:
        seconds = count * SECONDS_IN[unit]
        return moment + timedelta(seconds=int(seconds))
    months = count * MONTHS_IN[unit]
    whole = int(months)
    return add_months(moment, whole) + int((months - whole) * 30) * DAY


def add_months(moment: datetime, months: int) -> datetime:
    """The same day of the month so many months on, or the last day of a shorter month."""
    index = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(index, 12)
    day = min(moment.day, month_length(year, month + 1))
    return moment.replace(year=year, month=month + 1, day=day)


def month_length(year: int, month: int) -> int:
    """The days of the month."""
    if month == 2:
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        return 29 if leap else 28
    return 30 if month in (4, 6, 9, 11) else 31


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    """The nth weekday (Monday 0) of a month; -1 is the last."""
    if nth < 0:
        last = date(year, month, month_length(year, month))
        return last - (last.weekday() - weekday) % 7 * DAY
    first = date(year, month, 1)
    day = 1 + (weekday - first.weekday()) % 7 + (nth - 1) * 7
    return date(year, month, day)


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (the anonymous algorithm, Nature 1876)."""
    golden = year % 19
    century, rest = divmod(year, 100)
    leap_centuries, leap_rest = divmod(century, 4)
    correction = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - leap_centuries - correction + 15) % 30
    leap_years, year_rest = divmod(rest, 4)
    to_sunday = (32 + 2 * leap_rest + 2 * leap_years - epact - year_rest) % 7
    late = (golden + 11 * epact + 22 * to_sunday) // 451
    month, day = divmod(epact + to_sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)
